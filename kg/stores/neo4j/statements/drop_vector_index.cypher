DROP INDEX memory_vector IF EXISTS
