// Tools behind failures
//
// Which tools ended with a failing step most often, and the share of their steps that failed.
//
// $min_uses  integer = 3   fewest steps of a tool
// $limit     integer = 25  rows at most
//
// Columns: tool, uses, failed, failed_percent, failed_traces
MATCH (tool:Tool)<-[:USES]-(s:Step)-[:PART_OF]->(t:Trace)
WITH
  tool.name AS tool,
  count(s) AS uses,
  sum(CASE WHEN s.exit_code <> 0 OR s.failure <> '' THEN 1 ELSE 0 END) AS failed,
  count(DISTINCT CASE t.outcome WHEN 'failure' THEN t.id END) AS failed_traces
WHERE uses >= $min_uses AND failed > 0
RETURN tool, uses, failed, 100 * failed / uses AS failed_percent, failed_traces
ORDER BY failed DESC, failed_percent DESC, tool
LIMIT $limit
