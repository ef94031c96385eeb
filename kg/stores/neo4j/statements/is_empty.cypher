// Whether the database holds no node.
MATCH (n)
RETURN count(n) = 0
