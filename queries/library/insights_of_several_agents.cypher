// Insights backed by more than one agent
//
// Which insights come from runs of at least so many different agents, such as codex and claude-
// code.
//
// $min_agents  integer = 2   fewest agents
// $limit       integer = 25  rows at most
//
// Columns: id, title, agents, names, traces
MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i:Insight)
WHERE t.agent <> ''
WITH i, t.agent AS agent, t
ORDER BY agent
WITH i, collect(DISTINCT agent) AS names, count(DISTINCT t) AS traces
WHERE size(names) >= $min_agents
RETURN i.id AS id, i.title AS title, size(names) AS agents, names, traces
ORDER BY agents DESC, traces DESC, id
LIMIT $limit
