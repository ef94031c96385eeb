// Columns: sequence
MATCH (store:_Store {id: 'stepladder'})
RETURN store.sequence
