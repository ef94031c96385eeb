// Parameters: ids
UNWIND $ids AS id
MATCH (entry:_Entry {id: id})
DETACH DELETE entry
