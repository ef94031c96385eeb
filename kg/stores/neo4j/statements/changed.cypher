// Memories of one label in blocks of the catalogue that were written since, or by the last write
// before: Neo4j shows a write piece by piece. The store puts the label in the place of LABEL.
// Parameters: since, a sequence; size of a block
// Columns: sequence of the last removal, count of the label, nodes as [labels, properties]
MATCH (store:_Store {id: 'stepladder'})
CALL () {
  MATCH (n:LABEL)
  RETURN count(n) AS nodes
}
CALL () {
  MATCH (block:_Block)
  WHERE block.sequence >= $since
  UNWIND range(block.number * $size, (block.number + 1) * $size - 1) AS position
  MATCH (entry:_Entry {position: position})
  MATCH (n:LABEL {id: entry.id})
  RETURN collect([labels(n), properties(n)]) AS changed
}
RETURN coalesce(store.removed, 0), nodes, changed
