// Errors nothing got past
//
// Errors of runs that did not succeed after which the same tool never worked again.
//
// $limit  integer = 25  rows at most
//
// Columns: error, trace, task, step, command
MATCH (e:Error)<-[:RAISES]-(bad:Step)-[:PART_OF]->(t:Trace)
WHERE t.outcome <> 'success'
OPTIONAL MATCH (t)<-[:PART_OF]-(good:Step)
WHERE good.tool = bad.tool AND good.program = bad.program AND good.exit_code = 0
  AND good.index > bad.index
WITH e, t, bad, count(good) AS later
WHERE later = 0
RETURN
  e.signature AS error,
  t.id AS trace,
  t.title AS task,
  bad.index AS step,
  bad.command AS command
ORDER BY error, trace, step
LIMIT $limit
