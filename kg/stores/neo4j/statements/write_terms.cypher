// Adds to document frequencies.
// Parameters: rows of [id, in_key, in_full]
UNWIND $rows AS row
MERGE (term:_Term {id: row[0]})
ON CREATE SET term.in_key = row[1], term.in_full = row[2]
ON MATCH SET term.in_key = term.in_key + row[1], term.in_full = term.in_full + row[2]
