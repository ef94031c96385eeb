// What the store keeps about itself.
// Columns: version, or no row where there is none.
MATCH (store:_Store {id: 'stepladder'})
RETURN store.version
