// All relationships with both ends in scope.
// Parameters: scopes, null for all
// Columns: source, type, target, properties
MATCH (source:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun)-[edge]->(target:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun)
WHERE $scopes IS NULL OR (source.scope IN $scopes AND target.scope IN $scopes)
RETURN source.id, type(edge), target.id, properties(edge)
ORDER BY source.id, type(edge), target.id
