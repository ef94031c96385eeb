// Runs of a project
//
// The runs of one repository, the latest first.
//
// $project  text          name of the project, such as acme/api
// $limit    integer = 25  rows at most
//
// Columns: trace, title, agent, outcome, steps, created
MATCH (:Project {name: $project})<-[:IN_PROJECT]-(t:Trace)
RETURN
  t.id AS trace,
  t.title AS title,
  t.agent AS agent,
  t.outcome AS outcome,
  t.steps AS steps,
  t.created AS created
ORDER BY created DESC, trace
LIMIT $limit
