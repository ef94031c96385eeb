// All nodes of one label in scope. The store puts the label in the place of LABEL.
// Parameters: scopes, null for all
// Columns: labels, properties
MATCH (n:LABEL)
WHERE n.id >= '' AND ($scopes IS NULL OR n.scope IN $scopes)
RETURN labels(n), properties(n)
ORDER BY n.id
