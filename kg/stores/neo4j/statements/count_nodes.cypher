// Nodes by label, in scope.
// Parameters: scopes, null for all
// Columns: label, level of a memory, count
MATCH (n:Trace)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Trace' AS label, n.level AS level, count(n) AS nodes
UNION ALL
MATCH (n:Step)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Step' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:Workflow)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Workflow' AS label, n.level AS level, count(n) AS nodes
UNION ALL
MATCH (n:Summary)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Summary' AS label, n.level AS level, count(n) AS nodes
UNION ALL
MATCH (n:Insight)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Insight' AS label, n.level AS level, count(n) AS nodes
UNION ALL
MATCH (n:Task)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Task' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:Domain)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Domain' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:Project)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Project' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:Tool)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Tool' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:Error)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Error' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:Retrieval)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'Retrieval' AS label, null AS level, count(n) AS nodes
UNION ALL
MATCH (n:MergeRun)
WHERE $scopes IS NULL OR n.scope IN $scopes
RETURN 'MergeRun' AS label, null AS level, count(n) AS nodes
