// Relationships by type, both ends in scope.
// Parameters: scopes
// Columns: type, count
MATCH (source:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun)-[edge]->(target:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun)
WHERE source.scope IN $scopes AND target.scope IN $scopes
RETURN type(edge), count(edge)
