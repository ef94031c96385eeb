// What nodes point at.
// Parameters: refs
// Columns: ref
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref
MATCH (n)-->(target)
RETURN DISTINCT elementId(target)
