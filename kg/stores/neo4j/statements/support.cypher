// What stands behind memories, as counted when they were written.
// Parameters: ids
// Columns: id, support as JSON
UNWIND $ids AS id
MATCH (entry:_Entry {id: id})
RETURN id, entry.support
