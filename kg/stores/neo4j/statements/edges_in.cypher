// Relationships that come to nodes. The store puts their types, or nothing, in the place of TYPES.
// Parameters: ids; scopes, null for all
// Columns: source, type, target, properties
UNWIND $ids AS id
MATCH (target:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun {id: id})
WHERE $scopes IS NULL OR target.scope IN $scopes
MATCH (target)<-[edge:TYPES]-(source)
WHERE $scopes IS NULL OR source.scope IN $scopes
RETURN source.id, type(edge), target.id, properties(edge)
