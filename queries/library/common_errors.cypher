// The most frequent errors
//
// Which errors runs met, in how many runs and projects, and how many of these runs failed.
//
// $limit  integer = 25  rows at most
//
// Columns: error, error_class, steps, traces, projects, failed_traces
MATCH (e:Error)<-[:RAISES]-(s:Step)-[:PART_OF]->(t:Trace)
WITH
  e,
  count(DISTINCT s) AS steps,
  count(DISTINCT t) AS traces,
  count(DISTINCT t.project) AS projects,
  count(DISTINCT CASE t.outcome WHEN 'failure' THEN t.id END) AS failed_traces
RETURN e.signature AS error, e.error_class AS error_class, steps, traces, projects, failed_traces
ORDER BY traces DESC, steps DESC, error
LIMIT $limit
