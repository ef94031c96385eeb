// Relationships that come to nodes, at most so many of each node looked at. The store puts their
// types, or nothing, in the place of TYPES.
// Parameters: ids; scopes, null for all; most
// Columns: source, type, target, properties
UNWIND $ids AS id
MATCH (target:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun {id: id})
WHERE $scopes IS NULL OR target.scope IN $scopes
CALL (target) {
  MATCH (target)<-[edge:TYPES]-(source)
  RETURN edge, source LIMIT $most
}
WITH source, edge, target
WHERE $scopes IS NULL OR source.scope IN $scopes
RETURN source.id, type(edge), target.id, properties(edge)
