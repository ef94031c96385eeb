// What followed an error and worked
//
// For errors whose signature holds a text: the first step after each that ran the same tool
// without failing, and how far away it was.
//
// $error   text = ""     part of the error's signature or class; empty takes all
// $within  integer = 6   steps to look ahead
// $limit   integer = 25  rows at most
//
// Columns: error, trace, failed_step, failed_command, steps_later, command, outcome
MATCH (e:Error)<-[:RAISES]-(bad:Step)-[:PART_OF]->(t:Trace)<-[:PART_OF]-(good:Step)
WHERE (e.signature CONTAINS $error OR e.error_class CONTAINS $error)
  AND good.tool = bad.tool AND good.program = bad.program AND good.exit_code = 0
  AND good.index > bad.index AND good.index <= bad.index + $within
WITH e, t, bad, good
ORDER BY good.index
WITH e, t, bad, collect(good)[0] AS fix
RETURN
  e.signature AS error,
  t.id AS trace,
  bad.index AS failed_step,
  bad.command AS failed_command,
  fix.index - bad.index AS steps_later,
  fix.command AS command,
  t.outcome AS outcome
ORDER BY error, trace, failed_step
LIMIT $limit
