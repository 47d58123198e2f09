"""Measuring recall: data sets, measures, and the runs behind `memori eval` and `memori bench`.

Everything goes through the public path, `remember_many` and `recall`, so that a figure is what a
user gets.
"""
