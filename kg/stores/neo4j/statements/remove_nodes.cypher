// Parameters: refs
// Columns: count
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref
DETACH DELETE n
RETURN count(n)
