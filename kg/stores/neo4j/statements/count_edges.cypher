// All relationships by type.
// Columns: type, count
MATCH ()-[edge:PART_OF]->()
RETURN 'PART_OF' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:NEXT]->()
RETURN 'NEXT' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:ATTEMPTS]->()
RETURN 'ATTEMPTS' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:IN_DOMAIN]->()
RETURN 'IN_DOMAIN' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:IN_PROJECT]->()
RETURN 'IN_PROJECT' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:CONTINUES]->()
RETURN 'CONTINUES' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:GENERALIZES_TO]->()
RETURN 'GENERALIZES_TO' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:CITES]->()
RETURN 'CITES' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:SIMILAR_TO]->()
RETURN 'SIMILAR_TO' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:CONTRADICTS]->()
RETURN 'CONTRADICTS' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:KEEP_APART]->()
RETURN 'KEEP_APART' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:APPLIES_TO]->()
RETURN 'APPLIES_TO' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:USES]->()
RETURN 'USES' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:RAISES]->()
RETURN 'RAISES' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:SHOWED]->()
RETURN 'SHOWED' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:WITHHELD]->()
RETURN 'WITHHELD' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:USED]->()
RETURN 'USED' AS type, count(edge) AS edges
UNION ALL
MATCH ()-[edge:IN_TRACE]->()
RETURN 'IN_TRACE' AS type, count(edge) AS edges
