// What an agent was shown and how it ended
//
// Answers given to agents: each memory shown, at which rank, and the outcome of the run that saw
// it, where that run was read later.
//
// $limit  integer = 50  rows at most
//
// Columns: answer, asked, query, rank, memory, title, trace, outcome
MATCH (r:Retrieval)-[s:SHOWED]->(m)
OPTIONAL MATCH (r)-[:IN_TRACE]->(t:Trace)
RETURN
  r.id AS answer,
  r.created AS asked,
  r.query AS query,
  s.rank AS rank,
  m.id AS memory,
  m.title AS title,
  t.id AS trace,
  t.outcome AS outcome
ORDER BY asked DESC, answer, rank, trace
LIMIT $limit
