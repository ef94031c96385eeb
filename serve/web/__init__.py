"""The explorer in a browser and the HTTP API, over one knowledge base."""
