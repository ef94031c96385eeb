// Which memories traces stand behind.
// Parameters: ids of traces
// Columns: trace, its facets, memories
UNWIND $ids AS id
MATCH (trace:_Entry {id: id})<-[:_STANDS_ON]-(memory:_Entry)
RETURN id, trace.facets, collect(memory.id)
