"""English: what a text says about its writer.

Sentences are cut into clauses; a clause is cleaned of the words in front of it, dropped if it asks,
supposes, quotes or talks about the conversation, and rewritten if it has a form that we know.
"""

from memori_core.augmentation.rules.english.language import English

__all__ = ["English"]
