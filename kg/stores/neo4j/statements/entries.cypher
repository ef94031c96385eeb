// What the store keeps of memories for itself.
// Parameters: ids
// Columns: id, position, terms, key_length, full_length, vector
UNWIND $ids AS id
MATCH (entry:_Entry {id: id})
RETURN id, entry.position, entry.terms, entry.key_length, entry.full_length, entry.vector
