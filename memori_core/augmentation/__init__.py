"""From conversations to facts."""
