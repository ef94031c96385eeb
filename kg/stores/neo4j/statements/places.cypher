// Where memories belong, page by page.
// Parameters: after, a position; limit
// Columns: position, level, scope
MATCH (entry:_Entry)
WHERE entry.position > $after
RETURN entry.position, entry.level, entry.scope
ORDER BY entry.position
LIMIT $limit
