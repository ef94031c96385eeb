// Those memories that no trace stands behind; what was imported needs none.
// Parameters: ids
// Columns: id, ref
UNWIND $ids AS id
MATCH (entry:_Entry {id: id})
WHERE NOT EXISTS { (entry)-[:_STANDS_ON]->() }
MATCH (n:Trace|Workflow|Summary|Insight {id: id})
WHERE n.origin <> 'import'
RETURN id, elementId(n)
