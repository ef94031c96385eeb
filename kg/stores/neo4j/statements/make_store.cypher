// Marks the database as ours.
// Parameters: version
MERGE (store:_Store {id: 'stepladder'})
ON CREATE SET
  store.sequence = 0,
  store.memories = 0,
  store.key_length = 0,
  store.full_length = 0,
  store.positions = 0
SET store.version = $version
