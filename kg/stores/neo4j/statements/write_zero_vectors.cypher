// A vector of zeros has no direction, so that the vector index cannot hold it.
// Parameters: rows of {id, vector}
UNWIND $rows AS row
MATCH (entry:_Entry {id: row.id})
SET entry.vector = row.vector
REMOVE entry.embedding
