// Those hangers of the graph that nothing hangs from any more.
// Parameters: refs
// Columns: id, ref
UNWIND $refs AS ref
MATCH (n:Error|Tool|Task|Domain|Project)
WHERE elementId(n) = ref AND NOT EXISTS { ()-->(n) }
RETURN DISTINCT n.id, ref
