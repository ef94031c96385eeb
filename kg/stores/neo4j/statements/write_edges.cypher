// Writes relationships, one list of {source, target, properties} a type; ends are refs.
// Parameters: rows, a map of a list a type, see write_nodes
CALL () {
  UNWIND $rows.PART_OF AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:PART_OF]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.NEXT AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:NEXT]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.ATTEMPTS AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:ATTEMPTS]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.IN_DOMAIN AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:IN_DOMAIN]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.IN_PROJECT AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:IN_PROJECT]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.CONTINUES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:CONTINUES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.GENERALIZES_TO AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:GENERALIZES_TO]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.CITES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:CITES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.SIMILAR_TO AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:SIMILAR_TO]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.CONTRADICTS AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:CONTRADICTS]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.KEEP_APART AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:KEEP_APART]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.APPLIES_TO AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:APPLIES_TO]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.USES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:USES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.RAISES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:RAISES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.SHOWED AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:SHOWED]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.WITHHELD AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:WITHHELD]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.USED AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:USED]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $rows.IN_TRACE AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:IN_TRACE]->(target)
  SET edge = row.properties
}
FINISH
