// Takes traces from the memories that they no longer reach.
// Parameters: ids of traces
// Columns: trace, its facets, memories that it stood behind
UNWIND $ids AS id
MATCH (start:Trace {id: id})
CALL (start) {
  MATCH (start)-[:GENERALIZES_TO*0..]->(above)
  RETURN collect(DISTINCT above.id) AS reached
}
MATCH (trace:_Entry {id: id})<-[edge:_STANDS_ON]-(memory:_Entry)
WHERE NOT memory.id IN reached
WITH id, trace.facets AS facets, edge, memory.id AS memory
DELETE edge
RETURN id, facets, collect(memory)
