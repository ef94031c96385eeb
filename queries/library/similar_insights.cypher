// Insights that say nearly the same
//
// Pairs of insights found similar and not merged, the most similar first; a pair that was decided
// to stay apart is left out.
//
// $min_score  decimal = 0.5  lowest similarity, 0 to 1
// $limit      integer = 25   rows at most
//
// Columns: id, title, other_id, other_title, score
MATCH (a:Insight)-[s:SIMILAR_TO]->(b:Insight)
WHERE s.score >= $min_score AND NOT (a)-[:KEEP_APART]-(b)
RETURN
  a.id AS id,
  a.title AS title,
  b.id AS other_id,
  b.title AS other_title,
  round(s.score, 3) AS score
ORDER BY score DESC, id, other_id
LIMIT $limit
