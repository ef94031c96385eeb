MATCH (block:_Block)
DELETE block
