// Writes relationships, one list of {source, target, properties} a type; ends are refs.
// Parameters: PART_OF, NEXT, ATTEMPTS, IN_DOMAIN, IN_PROJECT, CONTINUES, GENERALIZES_TO,
//   CITES, SIMILAR_TO, CONTRADICTS, KEEP_APART, APPLIES_TO, USES, RAISES, SHOWED, WITHHELD,
//   USED, IN_TRACE
CALL () {
  UNWIND $PART_OF AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:PART_OF]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $NEXT AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:NEXT]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $ATTEMPTS AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:ATTEMPTS]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $IN_DOMAIN AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:IN_DOMAIN]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $IN_PROJECT AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:IN_PROJECT]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $CONTINUES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:CONTINUES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $GENERALIZES_TO AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:GENERALIZES_TO]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $CITES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:CITES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $SIMILAR_TO AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:SIMILAR_TO]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $CONTRADICTS AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:CONTRADICTS]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $KEEP_APART AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:KEEP_APART]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $APPLIES_TO AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:APPLIES_TO]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $USES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:USES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $RAISES AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:RAISES]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $SHOWED AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:SHOWED]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $WITHHELD AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:WITHHELD]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $USED AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:USED]->(target)
  SET edge = row.properties
}
CALL () {
  UNWIND $IN_TRACE AS row
  MATCH (source)
  WHERE elementId(source) = row.source
  MATCH (target)
  WHERE elementId(target) = row.target
  MERGE (source)-[edge:IN_TRACE]->(target)
  SET edge = row.properties
}
FINISH
