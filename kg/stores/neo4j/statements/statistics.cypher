// Totals, document frequencies, and what of the catalogue and the settings was written since.
// Parameters: ids of terms; since, a sequence
// Columns: totals, traces, terms as [id, in_key, in_full], blocks as [number, records], settings as
//   [name, value]
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
CALL () {
  MATCH (setting:_Setting)
  WHERE coalesce(setting.sequence, $since + 1) > $since
  RETURN collect([setting.name, setting.value]) AS settings
}
CALL () {
  MATCH (trace:Trace)
  RETURN count(trace) AS traces
}
RETURN totals, traces, terms, blocks, settings
