// The graph's constraints and indexes. Statements end with a semicolon; each may be run again.
// Labels that begin with an underscore hold what the store keeps for itself. Never edit a
// released migration: add the next one.

CREATE CONSTRAINT trace_id IF NOT EXISTS
FOR (n:Trace) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT step_id IF NOT EXISTS
FOR (n:Step) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT workflow_id IF NOT EXISTS
FOR (n:Workflow) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT summary_id IF NOT EXISTS
FOR (n:Summary) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT insight_id IF NOT EXISTS
FOR (n:Insight) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT task_id IF NOT EXISTS
FOR (n:Task) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT domain_id IF NOT EXISTS
FOR (n:Domain) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT project_id IF NOT EXISTS
FOR (n:Project) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT tool_id IF NOT EXISTS
FOR (n:Tool) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT error_id IF NOT EXISTS
FOR (n:Error) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT retrieval_id IF NOT EXISTS
FOR (n:Retrieval) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT merge_run_id IF NOT EXISTS
FOR (n:MergeRun) REQUIRE n.id IS UNIQUE;

CREATE INDEX step_uid IF NOT EXISTS
FOR (n:Step) ON (n.uid);

CREATE CONSTRAINT _store_id IF NOT EXISTS
FOR (n:_Store) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT _setting_name IF NOT EXISTS
FOR (n:_Setting) REQUIRE n.name IS UNIQUE;

// One for each memory: its terms, its vector, and what stands behind it.
CREATE CONSTRAINT _entry_id IF NOT EXISTS
FOR (n:_Entry) REQUIRE n.id IS UNIQUE;

CREATE CONSTRAINT _entry_position IF NOT EXISTS
FOR (n:_Entry) REQUIRE n.position IS UNIQUE;

CREATE INDEX _entry_task IF NOT EXISTS
FOR (n:_Entry) ON (n.task);

// Terms as numbers, and the scope and level that a search may be narrowed to.
CREATE FULLTEXT INDEX memory_words IF NOT EXISTS
FOR (n:_Entry) ON EACH [n.words, n.scope, n.level]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};

// Document frequencies.
CREATE CONSTRAINT _term_id IF NOT EXISTS
FOR (n:_Term) REQUIRE n.id IS UNIQUE;

// What every search for near vectors needs of each memory, by position.
CREATE CONSTRAINT _block_number IF NOT EXISTS
FOR (n:_Block) REQUIRE n.number IS UNIQUE;

CREATE INDEX _block_sequence IF NOT EXISTS
FOR (n:_Block) ON (n.sequence);
