// Nodes by id as they are.
// Parameters: ids
// Columns: id, ref, labels, properties
UNWIND $ids AS id
MATCH (n:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun {id: id})
RETURN id, elementId(n), labels(n), properties(n)
