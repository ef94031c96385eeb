// The memories that hold the rarest of some terms, and those nearest to a vector, of each query.
//
// Terms are looked up, in order, while their document frequencies sum to at most a share of all
// memories. The full-text index ranks with rounded lengths, so that more are read than wanted and
// scored exactly afterwards. Positions are those of the nearest sign codes, nearest first.
//
// With `ahead` also what an answer asks for next: all that stands above these memories, and a way
// down within `scopes` from each that is no trace, see `GraphStore.descents`, of five steps at most.
//
// Parameters: queries as {terms, ids in order; fetched; filter, in the language of the full-text
//   index; positions; vector, null for none; reranked; exclude, ids; limit}; share, least, most of
//   all memories; since, a sequence; ahead; scopes, null for all; children, looked at of each node
// Columns: totals, blocks as [number, records], settings as [name, value], lists as {terms as
//   [id, frequency], lexical as [entry id, score], nearest as [entry id]}, memories as [position,
//   id, level, about, record, node as [labels, properties] where there is no record, terms,
//   key_length, full_length, vector, support], above as [id, scope, ids right above it, properties of
//   these relationships where there are any], ways down as six ids, null below the lowest
MATCH (store:_Store {id: 'stepladder'})
// Before the blocks: a sequence that is older than they are does no harm.
WITH properties(store) AS totals
CALL () {
  MATCH (block:_Block)
  WHERE block.sequence > $since
  RETURN collect([block.number, block.records]) AS blocks
}
CALL () {
  MATCH (setting:_Setting)
  WHERE coalesce(setting.sequence, $since + 1) > $since
  RETURN collect([setting.name, setting.value]) AS settings
}
WITH *, CASE
  WHEN $share * totals.memories > $most THEN $most
  WHEN $share * totals.memories < $least THEN $least
  ELSE $share * totals.memories
END AS bound
CALL (bound) {
  UNWIND $queries AS query
  CALL (query) {
    UNWIND range(0, size(query.terms) - 1) AS place
    MATCH (term:_Term {id: query.terms[place]})
    WHERE term.in_full > 0
    WITH term
    ORDER BY place
    RETURN collect([term.id, term.in_full]) AS found
  }
  WITH query, reduce(state = {sum: 0, kept: [], open: true}, term IN found | CASE
    WHEN state.open AND (state.kept = [] OR state.sum + term[1] <= bound)
      THEN {sum: state.sum + term[1], kept: state.kept + [term], open: true}
    ELSE {sum: state.sum, kept: state.kept, open: false}
  END).kept AS terms
  CALL (query, terms) {
    WITH query, terms
    WHERE terms <> []
    CALL db.index.fulltext.queryNodes(
      'memory_words',
      '+words:(' + reduce(text = '', term IN terms | text + ' ' + toString(term[0])) + ')'
        + query.filter,
      {limit: query.fetched}
    ) YIELD node, score
    RETURN collect({entry: node, score: score}) AS lexical
  }
  CALL (query) {
    UNWIND range(0, size(query.positions) - 1) AS place
    MATCH (entry:_Entry {position: query.positions[place]})
    WHERE entry.vector IS NOT NULL AND NOT entry.id IN query.exclude
    WITH query, entry
    ORDER BY place
    WITH query, collect(entry)[0..query.reranked] AS near
    UNWIND near AS entry
    WITH query, entry,
      coalesce(vector.similarity.cosine(entry.embedding, query.vector), 0.5) AS similarity
    ORDER BY similarity DESC, entry.position
    RETURN collect(entry) AS ranked
  }
  RETURN collect({terms: terms, lexical: lexical, nearest: ranked[0..query.limit]}) AS lists
}
CALL (lists) {
  UNWIND lists AS list
  UNWIND [hit IN list.lexical | hit.entry] + list.nearest AS entry
  WITH DISTINCT entry
  MATCH (n:Trace|Workflow|Summary|Insight {id: entry.id})
  RETURN
    collect([
      entry.position, entry.id, entry.level_number, entry.about, entry.record,
      CASE WHEN entry.record IS NULL THEN [labels(n), properties(n)] END,
      entry.terms, entry.key_length, entry.full_length, entry.vector, entry.support
    ]) AS memories,
    collect(n) AS found
}
INSERT all_above
CALL (found) {
  UNWIND CASE WHEN $ahead THEN found ELSE [] END AS n
  WITH n
  WHERE NOT n:Trace
  INSERT way_down
  RETURN collect([n.id, a.id, b.id, c.id, d.id, e.id]) AS down
}
RETURN
  totals, blocks, settings,
  [list IN lists | [
    list.terms,
    [hit IN list.lexical | [hit.entry.id, hit.score]],
    [entry IN list.nearest | entry.id]
  ]],
  memories, above, down
