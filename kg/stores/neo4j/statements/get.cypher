// Nodes by id.
// Parameters: ids; scopes, null for all
// Columns: labels, properties
UNWIND $ids AS id
MATCH (n:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun {id: id})
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN labels(n), properties(n)
