"""The command line: parse, call `KnowledgeBase`, print."""
