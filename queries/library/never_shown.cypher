// Insights never shown
//
// Insights that no answer has shown yet, those with most runs behind them first.
//
// $limit  integer = 25  rows at most
//
// Columns: id, title, traces
MATCH (i:Insight)
WHERE NOT (i)<-[:SHOWED]-()
OPTIONAL MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i)
RETURN i.id AS id, i.title AS title, count(DISTINCT t) AS traces
ORDER BY traces DESC, id
LIMIT $limit
