// A part of other statements: from a node n five steps down, a to e, each null where there is none.
// Parameters: scopes, null for all; children, looked at of each node
CALL (n) {
  MATCH (n)<-[:GENERALIZES_TO]-(child)
  WITH n, child
  LIMIT $children
  WHERE ($scopes IS NULL OR (n.scope IN $scopes AND child.scope IN $scopes))
    AND NOT child.id IN [n.id]
  WITH child
  ORDER BY child.id
  LIMIT 1
  RETURN collect(child)[0] AS a
}
CALL (n, a) {
  MATCH (a)<-[:GENERALIZES_TO]-(child)
  WITH n, a, child
  LIMIT $children
  WHERE ($scopes IS NULL OR child.scope IN $scopes) AND NOT child.id IN [n.id, a.id]
  WITH child
  ORDER BY child.id
  LIMIT 1
  RETURN collect(child)[0] AS b
}
CALL (n, a, b) {
  MATCH (b)<-[:GENERALIZES_TO]-(child)
  WITH n, a, b, child
  LIMIT $children
  WHERE ($scopes IS NULL OR child.scope IN $scopes) AND NOT child.id IN [n.id, a.id, b.id]
  WITH child
  ORDER BY child.id
  LIMIT 1
  RETURN collect(child)[0] AS c
}
CALL (n, a, b, c) {
  MATCH (c)<-[:GENERALIZES_TO]-(child)
  WITH n, a, b, c, child
  LIMIT $children
  WHERE ($scopes IS NULL OR child.scope IN $scopes) AND NOT child.id IN [n.id, a.id, b.id, c.id]
  WITH child
  ORDER BY child.id
  LIMIT 1
  RETURN collect(child)[0] AS d
}
CALL (n, a, b, c, d) {
  MATCH (d)<-[:GENERALIZES_TO]-(child)
  WITH n, a, b, c, d, child
  LIMIT $children
  WHERE ($scopes IS NULL OR child.scope IN $scopes) AND NOT child.id IN [n.id, a.id, b.id, c.id, d.id]
  WITH child
  ORDER BY child.id
  LIMIT 1
  RETURN collect(child)[0] AS e
}
