// Memories that hold a text
//
// Workflows, summaries and insights with a text in title, description or content, whatever the
// case.
//
// $text   text          what to look for
// $limit  integer = 25  rows at most
//
// Columns: id, label, level, title
MATCH (m:Workflow|Summary|Insight)
WHERE toLower(m.title) CONTAINS toLower($text)
  OR toLower(m.description) CONTAINS toLower($text)
  OR toLower(m.content) CONTAINS toLower($text)
RETURN m.id AS id, labels(m)[0] AS label, m.level AS level, m.title AS title
ORDER BY level DESC, id
LIMIT $limit
