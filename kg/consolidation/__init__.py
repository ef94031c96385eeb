"""Insights that say the same thing become one insight, one level up, and can be taken apart again.

Nothing here is done unless it is asked for, everything is counted, and every merge can be undone.
"""
