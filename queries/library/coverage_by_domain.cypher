// Coverage by domain
//
// What is known of each domain: tasks, runs and how they ended, and insights that apply to it.
//
// Columns: domain, tasks, traces, succeeded, failed, insights
MATCH (d:Domain)
OPTIONAL MATCH (d)<-[:IN_DOMAIN]-(k:Task)
OPTIONAL MATCH (k)<-[:ATTEMPTS]-(t:Trace)
WITH
  d,
  count(DISTINCT k) AS tasks,
  count(DISTINCT t) AS traces,
  count(DISTINCT CASE t.outcome WHEN 'success' THEN t.id END) AS succeeded,
  count(DISTINCT CASE t.outcome WHEN 'failure' THEN t.id END) AS failed
OPTIONAL MATCH (d)<-[:APPLIES_TO]-(i:Insight)
RETURN d.name AS domain, tasks, traces, succeeded, failed, count(DISTINCT i) AS insights
ORDER BY domain
