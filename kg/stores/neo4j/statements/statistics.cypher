// Totals, document frequencies, and what of the catalogue was written since.
// Parameters: ids of terms; since, a sequence
// Columns: totals, terms as [id, in_key, in_full], blocks as [number, records]
MATCH (store:_Store {id: 'stepladder'})
// Before the blocks: a sequence that is older than they are does no harm.
WITH properties(store) AS totals
CALL () {
  UNWIND $ids AS id
  MATCH (term:_Term {id: id})
  RETURN collect([term.id, term.in_key, term.in_full]) AS terms
}
CALL () {
  MATCH (block:_Block)
  WHERE block.sequence > $since
  RETURN collect([block.number, block.records]) AS blocks
}
RETURN totals, terms, blocks
