// Relationships that leave nodes. The store puts their types, or nothing, in the place of TYPES.
// Parameters: ids; scopes, null for all
// Columns: source, type, target, properties
UNWIND $ids AS id
MATCH (source:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun {id: id})
WHERE $scopes IS NULL OR source.scope IN $scopes
MATCH (source)-[edge:TYPES]->(target)
WHERE $scopes IS NULL OR target.scope IN $scopes
RETURN source.id, type(edge), target.id, properties(edge)
