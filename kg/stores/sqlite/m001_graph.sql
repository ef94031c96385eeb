-- The graph, and what answers questions about it quickly.
-- Texts in columns are escaped by rows.column_text; `properties` is a JSON object without the
-- columns beside it and without empty values. Never edit a released migration: add the next one.

CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- sequence grows by one with every transaction that changed something.
CREATE TABLE total (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO total (name, value)
VALUES ('sequence', 0), ('memories', 0), ('key_length', 0), ('full_length', 0);

CREATE TABLE node (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    level INTEGER,                      -- of a memory, else NULL
    scope TEXT NOT NULL,
    created TEXT NOT NULL,
    uid TEXT,                           -- of a step whose action has an id of its own
    properties TEXT NOT NULL
);

CREATE INDEX node_by_label ON node (label, id);
CREATE INDEX node_by_uid ON node (uid) WHERE uid IS NOT NULL;

CREATE TABLE edge (
    source INTEGER NOT NULL,
    type TEXT NOT NULL,
    target INTEGER NOT NULL,
    properties TEXT,
    PRIMARY KEY (source, type, target)
) WITHOUT ROWID;

CREATE INDEX edge_by_target ON edge (target, type, source);


-- Search. A memory has a position, small and dense, which is its place in the blobs below.

CREATE TABLE memory (
    position INTEGER PRIMARY KEY,
    node INTEGER NOT NULL UNIQUE,
    key_length INTEGER NOT NULL,
    full_length INTEGER NOT NULL,
    terms BLOB NOT NULL                 -- uint32 ids, then uint8 counts of key, then of full
);

CREATE TABLE term (
    id INTEGER PRIMARY KEY,
    in_key INTEGER NOT NULL,            -- memories with the term in their key
    in_full INTEGER NOT NULL            -- memories with the term anywhere
);

-- Of 4,096 positions: which hold a term, and how often (uint16 offset, uint8 count; any order).
-- The place is 2^24 times the term's id, plus the number of the block: one integer as the key of a
-- rowid table keeps long records inside the page, a primary key of two columns would not.
CREATE TABLE posting (
    place INTEGER PRIMARY KEY,
    records BLOB NOT NULL
);

-- Vectors of `dim` float32. One row says how they are made comparable for approximate search.
CREATE TABLE vector (
    position INTEGER PRIMARY KEY,
    vector BLOB NOT NULL
);

CREATE TABLE geometry (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    dim INTEGER NOT NULL,
    centre BLOB NOT NULL
);

-- Of 512 positions: what every search needs of each (catalogue.record_type).
-- Processes keep it in memory and read again the blocks written since.
CREATE TABLE catalogue (
    block INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL,
    records BLOB NOT NULL
);

CREATE INDEX catalogue_by_sequence ON catalogue (sequence);

-- Scopes as numbers, for the records of the catalogue.
CREATE TABLE scope (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);


-- Evidence. A trace stands behind itself and behind all that GENERALIZES_TO leads to from it.

CREATE TABLE evidence (
    memory INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    PRIMARY KEY (memory, trace)
) WITHOUT ROWID;

CREATE INDEX evidence_by_trace ON evidence (trace, memory);

CREATE TABLE facet (
    trace INTEGER NOT NULL,
    name TEXT NOT NULL,                 -- trace, task, project, domain, language, ...
    value TEXT NOT NULL,
    PRIMARY KEY (trace, name, value)
) WITHOUT ROWID;

-- Counters over evidence and facet, kept by the triggers alone: traces with this value of a facet,
-- and under `tasks` how many values `task` has.
CREATE TABLE support (
    memory INTEGER NOT NULL,
    facet TEXT NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (memory, facet, value)
) WITHOUT ROWID;

CREATE TRIGGER evidence_added AFTER INSERT ON evidence BEGIN
    INSERT INTO support (memory, facet, value, count)
    SELECT new.memory, name, value, 1 FROM facet WHERE trace = new.trace
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER evidence_removed AFTER DELETE ON evidence BEGIN
    UPDATE support SET count = count - 1
    WHERE memory = old.memory
        AND (facet, value) IN (SELECT name, value FROM facet WHERE trace = old.trace);
    DELETE FROM support
    WHERE memory = old.memory AND count = 0
        AND (facet, value) IN (SELECT name, value FROM facet WHERE trace = old.trace);
END;

CREATE TRIGGER facet_added AFTER INSERT ON facet BEGIN
    INSERT INTO support (memory, facet, value, count)
    SELECT memory, new.name, new.value, 1 FROM evidence WHERE trace = new.trace
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER facet_removed AFTER DELETE ON facet BEGIN
    UPDATE support SET count = count - 1
    WHERE facet = old.name AND value = old.value
        AND memory IN (SELECT memory FROM evidence WHERE trace = old.trace);
    DELETE FROM support
    WHERE facet = old.name AND value = old.value AND count = 0
        AND memory IN (SELECT memory FROM evidence WHERE trace = old.trace);
END;

CREATE TRIGGER task_added AFTER INSERT ON support WHEN new.facet = 'task' BEGIN
    INSERT INTO support (memory, facet, value, count) VALUES (new.memory, 'tasks', '', 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER task_removed AFTER DELETE ON support WHEN old.facet = 'task' BEGIN
    UPDATE support SET count = count - 1
    WHERE memory = old.memory AND facet = 'tasks' AND value = '';
    DELETE FROM support
    WHERE memory = old.memory AND facet = 'tasks' AND value = '' AND count = 0;
END;
