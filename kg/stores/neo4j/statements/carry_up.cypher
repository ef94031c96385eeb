// Puts the evidence of the sources of new GENERALIZES_TO edges behind all that stands above them.
// All the edges are stored already, so that their order does not matter.
// Parameters: rows of {source, target}; ends are refs
// Columns: trace, its facets, memories that it did not stand behind before
UNWIND $rows AS row
MATCH (source)
WHERE elementId(source) = row.source
MATCH (target)
WHERE elementId(target) = row.target
MATCH (target)-[:GENERALIZES_TO*0..]->(above)
WITH DISTINCT source, above
MATCH (memory:_Entry {id: above.id})
MATCH (:_Entry {id: source.id})-[:_STANDS_ON]->(trace:_Entry)
WITH DISTINCT trace, memory
WHERE NOT EXISTS { (memory)-[:_STANDS_ON]->(trace) }
CREATE (memory)-[:_STANDS_ON]->(trace)
RETURN trace.id, trace.facets, collect(memory.id)
