// Stale insights
//
// Insights whose newest run started before a day, the longest unseen first.
//
// $before  text          a day, such as 2026-01-31
// $limit   integer = 25  rows at most
//
// Columns: id, title, newest, traces
MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i:Insight)
WITH i, max(t.created) AS newest, count(DISTINCT t) AS traces
WHERE newest < $before
RETURN i.id AS id, i.title AS title, newest, traces
ORDER BY newest, id
LIMIT $limit
