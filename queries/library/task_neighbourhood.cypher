// The neighbourhood of a task
//
// What is known around a task: its runs, and the workflows, summaries and insights they led to.
//
// $id     text          id of the task
// $limit  integer = 50  rows at most
//
// Columns: trace, agent, outcome, label, memory, title, level
MATCH (:Task {id: $id})<-[:ATTEMPTS]-(t:Trace)
OPTIONAL MATCH (t)-[:GENERALIZES_TO*1..3]->(m)
RETURN DISTINCT
  t.id AS trace,
  t.agent AS agent,
  t.outcome AS outcome,
  labels(m)[0] AS label,
  m.id AS memory,
  m.title AS title,
  m.level AS level
ORDER BY trace, level, memory
LIMIT $limit
