// Workflows that contradict
//
// Pairs of workflows, one to do and one to avoid, that lead up to the same insight or to two
// insights that contradict each other.
//
// $limit  integer = 25  rows at most
//
// Columns: do_id, do_title, avoid_id, avoid_title, insight, other_insight
MATCH (a:Workflow {polarity: 'do'})-[:GENERALIZES_TO*1..12]->(i:Insight)
MATCH (b:Workflow {polarity: 'avoid'})-[:GENERALIZES_TO*1..12]->(j:Insight)
WHERE i.id = j.id OR (i)-[:CONTRADICTS]->(j) OR (j)-[:CONTRADICTS]->(i)
RETURN DISTINCT
  a.id AS do_id,
  a.title AS do_title,
  b.id AS avoid_id,
  b.title AS avoid_title,
  i.id AS insight,
  j.id AS other_insight
ORDER BY do_id, avoid_id, insight, other_insight
LIMIT $limit
