// Tasks that got no answer
//
// What agents asked where nothing applied, the latest first.
//
// $limit  integer = 25  rows at most
//
// Columns: answer, asked, query, confidence
MATCH (r:Retrieval {abstained: true})
RETURN r.id AS answer, r.created AS asked, r.query AS query, round(r.confidence, 3) AS confidence
ORDER BY asked DESC, answer
LIMIT $limit
