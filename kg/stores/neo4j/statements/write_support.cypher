// Parameters: rows of {id, support}
UNWIND $rows AS row
MATCH (entry:_Entry {id: row.id})
SET entry.support = row.support
