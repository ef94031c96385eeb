// Writes nodes, one list of property maps a label; a null removes a property.
// Parameters: Trace, Step, Workflow, Summary, Insight, Task, Domain, Project, Tool, Error, Retrieval, MergeRun
// Columns: refs, a list of [id, ref]
CALL () {
  UNWIND $Trace AS row
  MERGE (n:Trace {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS trace_refs
}
CALL () {
  UNWIND $Step AS row
  MERGE (n:Step {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS step_refs
}
CALL () {
  UNWIND $Workflow AS row
  MERGE (n:Workflow {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS workflow_refs
}
CALL () {
  UNWIND $Summary AS row
  MERGE (n:Summary {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS summary_refs
}
CALL () {
  UNWIND $Insight AS row
  MERGE (n:Insight {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS insight_refs
}
CALL () {
  UNWIND $Task AS row
  MERGE (n:Task {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS task_refs
}
CALL () {
  UNWIND $Domain AS row
  MERGE (n:Domain {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS domain_refs
}
CALL () {
  UNWIND $Project AS row
  MERGE (n:Project {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS project_refs
}
CALL () {
  UNWIND $Tool AS row
  MERGE (n:Tool {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS tool_refs
}
CALL () {
  UNWIND $Error AS row
  MERGE (n:Error {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS error_refs
}
CALL () {
  UNWIND $Retrieval AS row
  MERGE (n:Retrieval {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS retrieval_refs
}
CALL () {
  UNWIND $MergeRun AS row
  MERGE (n:MergeRun {id: row.id})
  SET n += row
  RETURN collect([n.id, elementId(n)]) AS mergerun_refs
}
RETURN trace_refs + step_refs + workflow_refs + summary_refs + insight_refs + task_refs +
  domain_refs + project_refs + tool_refs + error_refs + retrieval_refs + mergerun_refs
