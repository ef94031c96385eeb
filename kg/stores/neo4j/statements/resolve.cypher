// Ids that begin with a text.
// Parameters: prefix, limit
// Columns: id
MATCH (n:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun)
WHERE n.id STARTS WITH $prefix
RETURN n.id
ORDER BY n.id
LIMIT $limit
