// Writes relationships of one type; ends are refs. The store puts the type in the place of TYPE, see
// write_nodes.
// Parameters: rows as {source, target, properties}
UNWIND $rows AS row
MATCH (source)
WHERE elementId(source) = row.source
MATCH (target)
WHERE elementId(target) = row.target
MERGE (source)-[edge:TYPE]->(target)
SET edge = row.properties
FINISH
