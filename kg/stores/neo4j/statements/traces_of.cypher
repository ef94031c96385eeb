// Which traces stand behind memories.
// Parameters: ids
// Columns: trace
UNWIND $ids AS id
MATCH (:_Entry {id: id})-[:_STANDS_ON]->(trace:_Entry)
RETURN DISTINCT trace.id
