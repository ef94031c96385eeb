// Nodes of one label whose properties equal others. The store puts the label in the place of LABEL.
// Parameters: where, a map; scopes, null for all; limit
// Columns: labels, properties
MATCH (n:LABEL)
WHERE n.id >= ''
  AND ($scopes IS NULL OR n.scope IN $scopes)
  AND all(name IN keys($where) WHERE n[name] = $where[name])
RETURN labels(n), properties(n)
ORDER BY n.id
LIMIT $limit
