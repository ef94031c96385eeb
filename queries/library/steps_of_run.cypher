// The steps of a run
//
// What an agent did in one run, step by step.
//
// $id     text           id of the trace
// $limit  integer = 200  rows at most
//
// Columns: step, phase, tool, command, exit_code, failure, verdict, error
MATCH (:Trace {id: $id})<-[:PART_OF]-(s:Step)
RETURN
  s.index AS step,
  s.phase AS phase,
  s.tool AS tool,
  s.command AS command,
  s.exit_code AS exit_code,
  s.failure AS failure,
  s.verdict AS verdict,
  s.error_signature AS error
ORDER BY step
LIMIT $limit
