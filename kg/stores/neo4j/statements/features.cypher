// Memories with what scoring needs.
// Parameters: ids; readable, scopes of what is returned; scopes, of ways down; null for all; ahead;
//   children, looked at of each node
// Columns: id, level, about, record, node as [labels, properties] where there is no record, terms,
//   key_length, full_length, vector, support, with `ahead` a way down as in `candidates`
UNWIND $ids AS id
MATCH (n:Trace|Workflow|Summary|Insight {id: id})
WHERE $readable IS NULL OR n.scope IN $readable
MATCH (entry:_Entry {id: id})
CALL (n) {
  WITH n
  WHERE $ahead
  INSERT way_down
  RETURN collect([n.id, a.id, b.id, c.id, d.id, e.id]) AS down
}
RETURN
  id, entry.level_number, entry.about, entry.record,
  CASE WHEN entry.record IS NULL THEN [labels(n), properties(n)] END,
  entry.terms, entry.key_length, entry.full_length, entry.vector, entry.support,
  down
