// Insights by kind and domain
//
// How many insights of each kind of process knowledge apply to each domain; an empty domain counts
// those that are bound to none.
//
// Columns: kind, domain, insights, avoid
MATCH (i:Insight)
OPTIONAL MATCH (i)-[:APPLIES_TO]->(d:Domain)
WITH i.kind AS kind, coalesce(d.name, '') AS domain, i
RETURN
  kind,
  domain,
  count(i) AS insights,
  sum(CASE i.polarity WHEN 'avoid' THEN 1 ELSE 0 END) AS avoid
ORDER BY kind, domain
