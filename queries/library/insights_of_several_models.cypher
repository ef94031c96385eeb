// Insights backed by more than one model
//
// Which insights come from runs of at least so many different models: less likely to be one
// model's habit.
//
// $min_models  integer = 2   fewest models
// $limit       integer = 25  rows at most
//
// Columns: id, title, models, names, traces
MATCH (t:Trace)-[:GENERALIZES_TO*1..12]->(i:Insight)
UNWIND t.models AS model
WITH i, model, t
ORDER BY model
WITH i, collect(DISTINCT model) AS names, count(DISTINCT t) AS traces
WHERE size(names) >= $min_models
RETURN i.id AS id, i.title AS title, size(names) AS models, names, traces
ORDER BY models DESC, traces DESC, id
LIMIT $limit
