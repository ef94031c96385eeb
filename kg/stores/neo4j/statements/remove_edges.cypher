// Parameters: refs of relationships
UNWIND $refs AS ref
MATCH ()-[edge]->()
WHERE elementId(edge) = ref
DELETE edge
