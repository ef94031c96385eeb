// What stands above a memory
//
// The more general memories that a trace, workflow, summary or insight leads up to, and how far
// up.
//
// $id  text  id of the memory
//
// Columns: steps_up, id, label, level, title
MATCH p = (m {id: $id})-[:GENERALIZES_TO*1..12]->(above)
RETURN
  min(length(p)) AS steps_up,
  above.id AS id,
  labels(above)[0] AS label,
  above.level AS level,
  above.title AS title
ORDER BY steps_up, id
