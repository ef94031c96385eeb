// Parameters: rows of {number, records}; sequence
UNWIND $rows AS row
MERGE (block:_Block {number: row.number})
SET block.records = row.records, block.sequence = $sequence
