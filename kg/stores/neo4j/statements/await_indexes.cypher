// Waits until every index answers.
// Parameters: timeout_s
CALL db.awaitIndexes($timeout_s)
