// Which other memories traces stand behind, and whether traces besides these do.
// Parameters: ids of traces
// Columns: id, shared
UNWIND $ids AS id
MATCH (:_Entry {id: id})<-[:_STANDS_ON]-(memory:_Entry)
WITH DISTINCT memory
WHERE NOT memory.id IN $ids
RETURN memory.id,
  EXISTS { MATCH (memory)-[:_STANDS_ON]->(trace:_Entry) WHERE NOT trace.id IN $ids }
