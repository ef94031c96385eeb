// Memories with what scoring needs.
// Parameters: ids; scopes, null for all
// Columns: id, level, about, record, node as [labels, properties] where there is no record, terms,
//   key_length, full_length, vector, support
UNWIND $ids AS id
MATCH (n:Trace|Workflow|Summary|Insight {id: id})
WHERE $scopes IS NULL OR n.scope IN $scopes
MATCH (entry:_Entry {id: id})
RETURN
  id, entry.level_number, entry.about, entry.record,
  CASE WHEN entry.record IS NULL THEN [labels(n), properties(n)] END,
  entry.terms, entry.key_length, entry.full_length, entry.vector, entry.support
