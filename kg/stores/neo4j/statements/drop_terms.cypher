// Drops those terms that no memory holds any more.
// Parameters: ids
UNWIND $ids AS id
MATCH (term:_Term {id: id})
WHERE term.in_key <= 0 AND term.in_full <= 0
DELETE term
