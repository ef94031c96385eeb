// Successes nobody checked
//
// Runs counted as successful in which no check passed: their outcome rests on its source alone.
//
// $limit  integer = 25  rows at most
//
// Columns: trace, title, agent, outcome_source, outcome_confidence
MATCH (t:Trace {outcome: 'success'})
OPTIONAL MATCH (t)<-[:PART_OF]-(s:Step {verdict: 'pass'})
WITH t, count(s) AS passed
WHERE passed = 0
RETURN
  t.id AS trace,
  t.title AS title,
  t.agent AS agent,
  t.outcome_source AS outcome_source,
  round(t.outcome_confidence, 2) AS outcome_confidence
ORDER BY trace
LIMIT $limit
