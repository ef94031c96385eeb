// Which actions are stored, and the first trace by id that holds each.
// Parameters: uids
// Columns: uid, trace
UNWIND $uids AS uid
MATCH (:Step {uid: uid})-[:PART_OF]->(trace:Trace)
RETURN uid, min(trace.id)
