// Totals, document frequencies, and what of the catalogue was written since.
// Parameters: ids of terms; known, a sequence
// Columns: totals, terms as [id, in_key, in_full], blocks as [number, records]
MATCH (store:_Store {id: 'stepladder'})
CALL () {
  UNWIND $ids AS id
  MATCH (term:_Term {id: id})
  RETURN collect([term.id, term.in_key, term.in_full]) AS terms
}
CALL () {
  MATCH (block:_Block)
  WHERE block.sequence > $known
  RETURN collect([block.number, block.records]) AS blocks
}
RETURN properties(store), terms, blocks
