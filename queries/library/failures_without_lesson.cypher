// Failed runs without a lesson
//
// Runs that failed and from which no way leads up to an insight.
//
// $limit  integer = 25  rows at most
//
// Columns: trace, title, agent, project, steps, outcome_source
MATCH (t:Trace {outcome: 'failure'})
OPTIONAL MATCH (t)-[:GENERALIZES_TO*1..3]->(i:Insight)
WITH t, count(i) AS insights
WHERE insights = 0
RETURN
  t.id AS trace,
  t.title AS title,
  t.agent AS agent,
  t.project AS project,
  t.steps AS steps,
  t.outcome_source AS outcome_source
ORDER BY trace
LIMIT $limit
