// Which relationships are there already.
// Parameters: rows of {key, source, type, target}; ends are refs
// Columns: key, properties
UNWIND $rows AS row
MATCH (source)
WHERE elementId(source) = row.source
MATCH (target)
WHERE elementId(target) = row.target
MATCH (source)-[edge]->(target)
WHERE type(edge) = row.type
RETURN row.key, properties(edge)
