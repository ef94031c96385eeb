// A vector as bytes for the store, and as numbers for the vector index.
// Parameters: rows of {id, vector, numbers}
UNWIND $rows AS row
MATCH (entry:_Entry {id: row.id})
SET entry.vector = row.vector
WITH entry, row
CALL db.create.setNodeVectorProperty(entry, 'embedding', row.numbers)
