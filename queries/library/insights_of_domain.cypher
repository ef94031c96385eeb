// Insights of a domain
//
// The insights that apply to a domain, those with most runs behind them first.
//
// $domain  text          name of the domain, such as web-dev
// $limit   integer = 25  rows at most
//
// Columns: id, title, kind, polarity, level, traces
MATCH (i:Insight)-[:APPLIES_TO]->(:Domain {name: $domain})
OPTIONAL MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i)
RETURN
  i.id AS id,
  i.title AS title,
  i.kind AS kind,
  i.polarity AS polarity,
  i.level AS level,
  count(DISTINCT t) AS traces
ORDER BY traces DESC, id
LIMIT $limit
