"""Records the sample trajectories: a scenario is played for real and written in one format."""
