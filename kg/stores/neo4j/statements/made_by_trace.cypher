// The relationships that a run made; those of a consolidation are not the run's to take back.
// Parameters: refs of nodes
// Columns: ref of the relationship, source, type, target, ref of the target
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref
CALL (n) {
  MATCH (n)-[edge]->()
  RETURN edge
  UNION
  MATCH (n)<-[edge:CITES]-()
  RETURN edge
}
WITH DISTINCT edge
WHERE NOT type(edge) IN ['SIMILAR_TO', 'CONTRADICTS', 'KEEP_APART'] AND edge.merge_run IS NULL
RETURN elementId(edge), startNode(edge).id, type(edge), endNode(edge).id, elementId(endNode(edge))
