"""English words whose forms no stemmer brings together."""

from __future__ import annotations

_FORMS = """
go goes went gone|say said|buy bought|get got gotten|take took taken|eat ate eaten|drink drank drunk
drive drove driven|come came|leave left|meet met|make made|find found|teach taught|think thought
feel felt|lose lost|win won|sell sold|tell told|begin began begun|break broke broken
choose chose chosen|grow grew grown|know knew known|see saw seen|write wrote written
fly flew flown|run ran|speak spoke spoken|swim swam swum|wear wore worn|give gave given|keep kept
sleep slept|spend spent|build built|bring brought|catch caught|fall fell fallen|fight fought
forget forgot forgotten|hear heard|hold held|lead led|pay paid|ride rode ridden|sing sang sung
sit sat|send sent|stand stood|steal stole stolen|understand understood|wake woke woken
become became|draw drew drawn|lie lay lain|rise rose risen|throw threw thrown|bite bit bitten
hide hid hidden|shoot shot|stick stuck|tear tore torn|freeze froze frozen|deal dealt|dream dreamt
learn learnt|burn burnt|child children|wife wives|man men|woman women|foot feet|tooth teeth
person people|mouse mice|life lives|knife knives|die dies died dying
""".strip()

BASE_FORM = {
    form: words[0]
    for group in _FORMS.replace("\n", "|").split("|")
    for words in [group.split()]
    for form in words
    # "lives" is far more often the verb.
    if form != "lives"
}
"""From each irregular form to the first of its group."""
