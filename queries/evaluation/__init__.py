"""What a store says about itself: which cards go with success, and how well it answers."""
