// What is shown most
//
// Which memories were shown most often, and how the runs that saw them ended.
//
// $limit  integer = 25  rows at most
//
// Columns: id, title, label, shown, succeeded, failed
MATCH (r:Retrieval)-[:SHOWED]->(m)
OPTIONAL MATCH (r)-[:IN_TRACE]->(t:Trace)
RETURN
  m.id AS id,
  m.title AS title,
  labels(m)[0] AS label,
  count(DISTINCT r) AS shown,
  count(DISTINCT CASE t.outcome WHEN 'success' THEN t.id END) AS succeeded,
  count(DISTINCT CASE t.outcome WHEN 'failure' THEN t.id END) AS failed
ORDER BY shown DESC, id
LIMIT $limit
