// Sets what changed.
// Parameters: totals
MATCH (store:_Store {id: 'stepladder'})
SET store += $totals
