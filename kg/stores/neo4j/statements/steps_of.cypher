// Parameters: ids of traces
// Columns: id, ref
UNWIND $ids AS id
MATCH (:Trace {id: id})<-[:PART_OF]-(step:Step)
RETURN DISTINCT step.id, elementId(step)
