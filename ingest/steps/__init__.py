"""What the actions of a run were: the record of steps that distillers read."""
