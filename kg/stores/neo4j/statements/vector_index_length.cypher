// How long the vectors of the vector index are, or no row where there is none.
// Columns: dimensions
SHOW VECTOR INDEXES
YIELD name, options
WHERE name = 'memory_vector'
RETURN toInteger(options.indexConfig['vector.dimensions']) AS dimensions
