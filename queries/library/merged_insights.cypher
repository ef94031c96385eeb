// What was merged into what
//
// Insights that a consolidation put beneath a more general one, by run of consolidation.
//
// $limit  integer = 50  rows at most
//
// Columns: merge_run, merged_at, id, title, into_id, into_title
MATCH (a:Insight)-[g:GENERALIZES_TO]->(b:Insight)
WHERE g.merge_run <> ''
OPTIONAL MATCH (r:MergeRun)
WHERE r.id = g.merge_run
RETURN
  g.merge_run AS merge_run,
  r.created AS merged_at,
  a.id AS id,
  a.title AS title,
  b.id AS into_id,
  b.title AS into_title
ORDER BY merge_run, into_id, id
LIMIT $limit
