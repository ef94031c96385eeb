// Memories that cite steps with an error of a class, with what an answer asks for next, see
// `candidates`.
// Parameters: error_class; signature; readable, scopes of what is returned; scopes, of ways down; null
//   for all; ahead; children, looked at of each node
// Columns: memories as [steps with the signature, steps with others alone, all steps cited, id, level,
//   about, record, node as [labels, properties] where there is no record, terms, key_length,
//   full_length, vector, support, ways down as in `features`], above as in `all_above`
CALL () {
  MATCH (error:Error)
  WHERE error.error_class = $error_class
  MATCH (error)<-[:RAISES]-(step)
  WITH step, max(CASE WHEN error.signature = $signature THEN 1 ELSE 0 END) AS same
  MATCH (step)<-[:CITES]-(n)
  WHERE $readable IS NULL OR n.scope IN $readable
  WITH n, sum(same) AS same, count(*) AS steps
  MATCH (entry:_Entry {id: n.id})
  CALL (n) {
    WITH n
    WHERE $ahead
    INSERT way_down
    RETURN collect([n.id, a.id, b.id, c.id, d.id, e.id]) AS down
  }
  RETURN
    collect(n) AS found,
    collect([
      same, steps - same, COUNT { (n)-[:CITES]->() },
      n.id, entry.level_number, entry.about, entry.record,
      CASE WHEN entry.record IS NULL THEN [labels(n), properties(n)] END,
      entry.terms, entry.key_length, entry.full_length, entry.vector, entry.support,
      down
    ]) AS memories
}
INSERT all_above
RETURN memories, above
