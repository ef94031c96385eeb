"""The commands, one module a topic; `cli.py` names them and loads one when it is called."""
