"""Installing Stepladder in a coding agent: small edits of its settings, and their exact undoing."""
