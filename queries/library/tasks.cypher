// Tasks by their runs
//
// Which tasks were attempted, how often, and how the runs ended; those tried most often first.
//
// $text   text = ""     part of the task's title; empty takes all
// $limit  integer = 25  rows at most
//
// Columns: id, title, traces, succeeded, failed
MATCH (k:Task)<-[:ATTEMPTS]-(t:Trace)
WHERE toLower(k.title) CONTAINS toLower($text)
RETURN
  k.id AS id,
  k.title AS title,
  count(t) AS traces,
  sum(CASE t.outcome WHEN 'success' THEN 1 ELSE 0 END) AS succeeded,
  sum(CASE t.outcome WHEN 'failure' THEN 1 ELSE 0 END) AS failed
ORDER BY traces DESC, id
LIMIT $limit
