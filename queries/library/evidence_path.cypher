// Why an insight is believed
//
// The ways down from an insight: the runs it comes from, how each ended, and the steps of each
// that are cited for it or for a memory between, with their commands and exit codes.
//
// $id     text          id of the insight
// $limit  integer = 50  rows at most
//
// Columns: trace, task, outcome, step, command, exit_code, verdict, quote, cited_by
MATCH (i:Insight {id: $id})<-[:GENERALIZES_TO*0..12]-(m)
MATCH (m)-[c:CITES]->(s:Step)-[:PART_OF]->(t:Trace)
RETURN
  t.id AS trace,
  t.title AS task,
  t.outcome AS outcome,
  s.index AS step,
  s.command AS command,
  s.exit_code AS exit_code,
  s.verdict AS verdict,
  c.quote AS quote,
  min(m.id) AS cited_by
ORDER BY trace, step, quote
LIMIT $limit
