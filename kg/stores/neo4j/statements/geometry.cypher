// Columns: dim and centre, both null in a new store; whether there is a vector
MATCH (store:_Store {id: 'stepladder'})
RETURN store.dim, store.centre, EXISTS { MATCH (entry:_Entry) WHERE entry.vector IS NOT NULL }
