// Parameters: numbers
// Columns: number, records
UNWIND $numbers AS number
MATCH (block:_Block {number: number})
RETURN number, block.records
