// The memories that hold the rarest of some terms, and those nearest to a vector.
//
// Terms are looked up, in order, while their document frequencies sum to at most a share of all
// memories. The full-text index ranks with rounded lengths, so that more are read than wanted and
// scored exactly afterwards. Positions are those of the nearest sign codes, nearest first.
//
// Parameters: terms, ids in order; share, least, most of all memories; fetched; filter, in the
//   language of the full-text index; positions; vector, null for none; reranked; exclude, ids;
//   limit; since, a sequence
// Columns: totals, blocks as [number, records], terms as [id, frequency], lexical as
//   [entry id, score], nearest as [entry id], memories as [position, id, level, about, record, node
//   as [labels, properties] where there is no record, terms, key_length, full_length, vector]
MATCH (store:_Store {id: 'stepladder'})
// Before the blocks: a sequence that is older than they are does no harm.
WITH properties(store) AS totals
CALL () {
  MATCH (block:_Block)
  WHERE block.sequence > $since
  RETURN collect([block.number, block.records]) AS blocks
}
CALL () {
  UNWIND range(0, size($terms) - 1) AS place
  MATCH (term:_Term {id: $terms[place]})
  WHERE term.in_full > 0
  WITH term
  ORDER BY place
  RETURN collect([term.id, term.in_full]) AS found
}
WITH totals, blocks, found, CASE
  WHEN $share * totals.memories > $most THEN $most
  WHEN $share * totals.memories < $least THEN $least
  ELSE $share * totals.memories
END AS bound
WITH totals, blocks, reduce(state = {sum: 0, kept: [], open: true}, term IN found | CASE
  WHEN state.open AND (state.kept = [] OR state.sum + term[1] <= bound)
    THEN {sum: state.sum + term[1], kept: state.kept + [term], open: true}
  ELSE {sum: state.sum, kept: state.kept, open: false}
END).kept AS terms
CALL (terms) {
  WITH terms
  WHERE terms <> []
  CALL db.index.fulltext.queryNodes(
    'memory_words',
    '+words:(' + reduce(text = '', term IN terms | text + ' ' + toString(term[0])) + ')' + $filter,
    {limit: $fetched}
  ) YIELD node, score
  RETURN collect({entry: node, score: score}) AS lexical
}
CALL () {
  UNWIND range(0, size($positions) - 1) AS place
  MATCH (entry:_Entry {position: $positions[place]})
  WHERE entry.vector IS NOT NULL AND NOT entry.id IN $exclude
  WITH entry
  ORDER BY place
  LIMIT $reranked
  WITH entry, coalesce(vector.similarity.cosine(entry.embedding, $vector), 0.5) AS similarity
  ORDER BY similarity DESC, entry.position
  LIMIT $limit
  RETURN collect(entry) AS nearest
}
CALL (lexical, nearest) {
  UNWIND [hit IN lexical | hit.entry] + nearest AS entry
  WITH DISTINCT entry
  MATCH (n:Trace|Workflow|Summary|Insight {id: entry.id})
  RETURN collect([
    entry.position, entry.id, entry.level_number, entry.about, entry.record,
    CASE WHEN entry.record IS NULL THEN [labels(n), properties(n)] END,
    entry.terms, entry.key_length, entry.full_length, entry.vector
  ]) AS memories
}
RETURN
  totals, blocks, terms,
  [hit IN lexical | [hit.entry.id, hit.score]], [entry IN nearest | entry.id], memories
