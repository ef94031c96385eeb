// How many traces of one task stand behind a memory. It starts from the traces: a memory that
// thousands of runs taught has few of each task.
// Parameters: rows of {memory, task}
// Columns: memory, task, count
UNWIND $rows AS row
MATCH (memory:_Entry {id: row.memory})
CALL (memory, row) {
  MATCH (trace:_Entry {task: row.task})
  WHERE EXISTS { (trace)<-[:_STANDS_ON]-(memory) }
  RETURN count(trace) AS traces
}
RETURN row.memory, row.task, traces
