// Memories with what scoring needs.
// Parameters: ids; scopes, null for all
// Columns: labels, properties, terms, key_length, full_length, vector
UNWIND $ids AS id
MATCH (n:Trace|Workflow|Summary|Insight {id: id})
WHERE $scopes IS NULL OR n.scope IN $scopes
MATCH (entry:_Entry {id: id})
RETURN labels(n), properties(n), entry.terms, entry.key_length, entry.full_length, entry.vector
