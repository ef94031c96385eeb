// How runs of each agent ended
//
// Runs by agent and model: how many, how they ended, and how long they were.
//
// Columns: agent, model, traces, succeeded, failed, unknown, mean_steps
MATCH (t:Trace)
WITH
  t.agent AS agent,
  coalesce(t.models[0], '') AS model,
  count(t) AS traces,
  sum(CASE t.outcome WHEN 'success' THEN 1 ELSE 0 END) AS succeeded,
  sum(CASE t.outcome WHEN 'failure' THEN 1 ELSE 0 END) AS failed,
  avg(t.steps) AS mean
RETURN
  agent,
  model,
  traces,
  succeeded,
  failed,
  traces - succeeded - failed AS unknown,
  round(mean, 1) AS mean_steps
ORDER BY traces DESC, agent, model
