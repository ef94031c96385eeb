// Runs behind an insight
//
// Every run from which a way leads up to an insight: what the task was, who did it, how it ended.
//
// $id     text          id of the insight
// $limit  integer = 50  rows at most
//
// Columns: trace, title, project, agent, models, outcome, outcome_source, steps
MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(:Insight {id: $id})
RETURN DISTINCT
  t.id AS trace,
  t.title AS title,
  t.project AS project,
  t.agent AS agent,
  t.models AS models,
  t.outcome AS outcome,
  t.outcome_source AS outcome_source,
  t.steps AS steps
ORDER BY trace
LIMIT $limit
