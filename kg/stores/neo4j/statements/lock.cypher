// Takes the one write lock of the store until the transaction ends, then says where it stands.
// Columns: totals
MATCH (store:_Store {id: 'stepladder'})
SET store.locked = true
REMOVE store.locked
RETURN properties(store)
