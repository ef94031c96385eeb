// Parameters: limit
// Columns: count of entries that were changed
MATCH (entry:_Entry)
WHERE entry.vector IS NOT NULL
WITH entry
LIMIT $limit
REMOVE entry.vector, entry.embedding
RETURN count(entry)
