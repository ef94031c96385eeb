// Parameters: rows, maps with an id
UNWIND $rows AS row
MERGE (entry:_Entry {id: row.id})
SET entry += row
