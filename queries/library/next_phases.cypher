// What follows what
//
// How often a phase of work follows another, and how often after a step that failed.
//
// $limit  integer = 50  rows at most
//
// Columns: phase, next_phase, times, after_failure
MATCH (a:Step)-[:NEXT]->(b:Step)
RETURN
  a.phase AS phase,
  b.phase AS next_phase,
  count(*) AS times,
  sum(CASE WHEN a.exit_code <> 0 OR a.failure <> '' THEN 1 ELSE 0 END) AS after_failure
ORDER BY times DESC, phase, next_phase
LIMIT $limit
