// Nearest memories for people and programs that ask in Cypher.
// Parameters: options
CREATE VECTOR INDEX memory_vector IF NOT EXISTS
FOR (n:_Entry) ON (n.embedding)
OPTIONS $options
