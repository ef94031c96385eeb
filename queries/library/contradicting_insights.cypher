// Insights that contradict
//
// Pairs of insights known to contradict each other, with the runs behind each.
//
// $limit  integer = 25  rows at most
//
// Columns: id, title, traces, other_id, other_title, other_traces
MATCH (a:Insight)-[:CONTRADICTS]->(b:Insight)
OPTIONAL MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(a)
WITH a, b, count(DISTINCT t) AS traces
OPTIONAL MATCH (u:Trace)-[:GENERALIZES_TO*1..12]->(b)
RETURN
  a.id AS id,
  a.title AS title,
  traces,
  b.id AS other_id,
  b.title AS other_title,
  count(DISTINCT u) AS other_traces
ORDER BY id, other_id
LIMIT $limit
