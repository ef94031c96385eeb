// What kinds of runs traces are; each stands behind itself.
// Parameters: rows of {id, facets, task}
UNWIND $rows AS row
MATCH (trace:_Entry {id: row.id})
SET trace.facets = row.facets, trace.task = row.task
MERGE (trace)-[:_STANDS_ON]->(trace)
