// Insights without a run of ours
//
// Insights no run leads up to: imported ones, or such as lost their evidence.
//
// $limit  integer = 25  rows at most
//
// Columns: id, title, origin, created
MATCH (i:Insight)
OPTIONAL MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i)
WITH i, count(t) AS traces
WHERE traces = 0
RETURN i.id AS id, i.title AS title, i.origin AS origin, i.created AS created
ORDER BY id
LIMIT $limit
