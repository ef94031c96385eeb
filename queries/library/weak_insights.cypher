// Insights that rest on one run
//
// Insights with exactly one run behind them that did not succeed, or whose end is not known.
//
// $limit  integer = 25  rows at most
//
// Columns: id, title, trace, outcome
MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i:Insight)
WITH i, collect(DISTINCT t) AS traces
WHERE size(traces) = 1
WITH i, traces[0] AS t
WHERE t.outcome <> 'success'
RETURN i.id AS id, i.title AS title, t.id AS trace, t.outcome AS outcome
ORDER BY id
LIMIT $limit
