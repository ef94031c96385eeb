// What an agent was shown and how it ended
//
// Answers given to agents: each memory shown, at which rank, whether the agent said it used it, the
// outcome that was reported, and that of the run that saw the answer, where it was read later.
//
// $limit  integer = 50  rows at most
//
// Columns: answer, asked, query, rank, memory, title, used, reported, trace, outcome
MATCH (r:Retrieval)-[s:SHOWED]->(m)
OPTIONAL MATCH (r)-[:IN_TRACE]->(t:Trace)
RETURN
  r.id AS answer,
  r.created AS asked,
  r.query AS query,
  s.rank AS rank,
  m.id AS memory,
  m.title AS title,
  EXISTS { (r)-[:USED]->(m) } AS used,
  r.outcome AS reported,
  t.id AS trace,
  t.outcome AS outcome
ORDER BY asked DESC, answer, rank, trace
LIMIT $limit
