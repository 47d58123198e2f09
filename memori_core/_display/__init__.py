"""How memory shows itself to people: texts, tables, figures."""
