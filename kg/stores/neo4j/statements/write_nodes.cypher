// Writes nodes of one label as property maps; a null removes a property. The store puts the label in
// the place of LABEL: Neo4j plans a statement anew for every other length of each list it is given,
// so that one statement for all labels would be planned at nearly every batch.
// Parameters: rows
// Columns: id, ref
UNWIND $rows AS row
MERGE (n:LABEL {id: row.id})
SET n += row
RETURN n.id, elementId(n)
