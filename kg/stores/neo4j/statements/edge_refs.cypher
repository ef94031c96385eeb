// Relationships by their ends and type.
// Parameters: rows of {source, type, target}; ends are refs
// Columns: ref, type, source id
UNWIND $rows AS row
MATCH (source)
WHERE elementId(source) = row.source
MATCH (target)
WHERE elementId(target) = row.target
MATCH (source)-[edge]->(target)
WHERE type(edge) = row.type
RETURN DISTINCT elementId(edge), type(edge), source.id
