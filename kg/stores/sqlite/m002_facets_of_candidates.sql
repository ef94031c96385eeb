-- What scoring needs of a candidate besides its words, so that its node need not be decoded.
-- The language is the only one the memory is about; empty where it is about none or several.

ALTER TABLE memory ADD COLUMN task TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN language TEXT NOT NULL DEFAULT '';

UPDATE memory SET
    task = coalesce(json_extract(node.properties, '$.task'), ''),
    language = iif(
        json_array_length(node.properties, '$.languages') = 1,
        json_extract(node.properties, '$.languages[0]'),
        ''
    )
FROM node WHERE node.number = memory.node;
