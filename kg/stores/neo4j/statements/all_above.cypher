// A part of other statements: of found nodes, with `ahead`, all that stands above them, themselves
// among it, as [id, scope, ids right above it, properties of these relationships where there are any].
// Parameters: ahead
CALL (found) {
  UNWIND CASE WHEN $ahead THEN found ELSE [] END AS n
  MATCH (n)-[:GENERALIZES_TO*0..]->(below)
  WITH DISTINCT below
  OPTIONAL MATCH (below)-[edge:GENERALIZES_TO]->(above)
  WITH below, collect(above.id) AS ids, collect(properties(edge)) AS properties
  RETURN collect([
    below.id, below.scope, ids, CASE WHEN any(p IN properties WHERE p <> {}) THEN properties END
  ]) AS above
}
