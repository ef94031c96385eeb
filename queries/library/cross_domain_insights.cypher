// Insights that hold in several domains
//
// Which insights apply to at least so many domains, the widest first.
//
// $min_domains  integer = 2   fewest domains
// $limit        integer = 25  rows at most
//
// Columns: id, title, domains, names
MATCH (i:Insight)-[:APPLIES_TO]->(d:Domain)
WITH i, d
ORDER BY d.name
WITH i, count(d) AS domains, collect(d.name) AS names
WHERE domains >= $min_domains
RETURN i.id AS id, i.title AS title, domains, names
ORDER BY domains DESC, id
LIMIT $limit
