// The relationships on all paths upward, all of whose nodes are in scope.
// Parameters: ids; scopes, null for all
// Columns: source, type, target, properties
UNWIND $ids AS id
MATCH (start:Trace|Workflow|Summary|Insight {id: id})
WHERE $scopes IS NULL OR start.scope IN $scopes
WITH DISTINCT start
MATCH path = (start)-[:GENERALIZES_TO*0..]->(above)
WHERE all(n IN nodes(path) WHERE $scopes IS NULL OR n.scope IN $scopes)
WITH DISTINCT above
MATCH (above)-[edge:GENERALIZES_TO]->(target)
WHERE $scopes IS NULL OR target.scope IN $scopes
RETURN above.id, type(edge), target.id, properties(edge)
