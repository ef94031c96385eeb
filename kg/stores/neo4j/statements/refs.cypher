// Where nodes are: Neo4j's own ids, which hold for the length of a transaction.
// Parameters: ids
// Columns: id, ref, labels
UNWIND $ids AS id
MATCH (n:Trace|Step|Workflow|Summary|Insight|Task|Domain|Project|Tool|Error|Retrieval|MergeRun {id: id})
RETURN id, elementId(n), labels(n)
