"""The path of an English text from sentences to drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from memori_core.augmentation.rules.base import (
    MAX_FACTS,
    Code,
    Draft,
    Finding,
    Forget,
    Material,
)
from memori_core.augmentation.rules.english import (
    antecedents,
    corrections,
    dictation,
    drafting,
    elisions,
    fields,
    filters,
    openings,
    orders,
    quotations,
    subjects,
)
from memori_core.augmentation.rules.english.clauses import MAX_CLAUSE, clauses, sentences
from memori_core.augmentation.rules.english.rewriting import (
    finished,
    rewritten,
    spelled_out,
)
from memori_core.models import Kind

MAX_SENTENCES = 2_000
"""Sentences of one message that are read. A person's message has fewer."""
MAX_SENTENCE = 1_500
"""Of longer sentences (dictation without marks) only the clauses are looked at."""

_GREETING = re.compile(r"(?:hi|hey|hello|hiya|good (?:morning|evening|afternoon))\b", re.IGNORECASE)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})


class English:
    """The rules for English."""

    @property
    def code(self) -> Code:
        return "en"

    def drafts(
        self, text: str, *, subject: str | None, statements: bool
    ) -> Iterator[Draft | Forget | Material]:
        """See `Language.drafts`."""
        return _Reading(subject or "User", statements=statements).read(text.translate(_QUOTES))


class _Reading:
    """One text as it is read: what was said shortly before decides who "she" is."""

    def __init__(self, name: str, *, statements: bool) -> None:
        self._name = name
        self._statements = statements
        self._antecedent = ""
        self._listing = False
        self._greeted = False
        self._quoting = False
        self._read: set[str] = set()
        self._seen: set[str] = set()

    def read(self, text: str) -> Iterator[Finding]:
        held: list[Finding] = []  # until it is known that the next sentence does not take it back
        for count, raw in enumerate(sentences(text)):
            if count == MAX_SENTENCES:
                break
            if raw in self._read:
                continue
            self._read.add(raw)
            before, held = corrections.corrected(held, raw, list(self._found(raw)))
            yield from before
            if held and isinstance(held[-1], Material):
                break
        yield from held

    def _found(self, raw: str) -> Iterator[Finding]:
        """What one sentence says."""
        if (raw.count('"') - len(re.findall(r'\d"', raw))) % 2:
            self._quoting = not self._quoting
            return
        if self._quoting:
            return
        item = fields.bullet(raw)
        sentence = spelled_out(item if item is not None else raw)
        if len(sentence) > MAX_SENTENCE:
            if filters.is_frame(sentence[:MAX_CLAUSE]):
                yield Material()
            else:
                yield from self._clauses(sentence, sentence=sentence, forced=False)
            return
        sentence = openings.accompanied(sentence)
        plain = filters.without_prefixes(sentence)
        found = list(self._listed(plain, item))
        if found:
            yield from found
            return
        if filters.is_frame(sentence) or filters.is_frame(plain):
            yield Material()
            return
        quoted = quotations.quoted(sentence) if '"' in sentence else None
        if quoted is not None or filters.is_quoted(sentence):
            if quoted is not None:
                yield from self._quoted(quoted)
            return
        greets = _GREETING.match(raw) is not None
        self._greeted = self._greeted or greets
        yield from self._sentence(sentence, plain)
        self._greeted = greets

    # ------------------------------------------------------------------------------ sentences

    def _listed(self, plain: str, item: str | None) -> Iterator[Draft]:
        """The items of a list "about me", and the fields of a form."""
        rest = fields.opens_list(plain)
        if rest is not None:
            self._listing = True
            for piece in re.split(r"[,;|] ", rest):
                yield from self._told(piece)
            return
        form = fields.filled_in(plain)
        if form is not None:
            for field in form:
                yield from self._made(f"{self._name}{field}")
            return
        if self._listing:
            told = list(self._told(item if item is not None else plain))
            self._listing = bool(told) or item is not None
            yield from told

    def _told(self, item: str) -> Iterator[Draft]:
        clause = fields.told(spelled_out(item))
        if clause is not None:
            for piece in clauses(clause):
                yield from self._clause(piece, opening=True)

    def _quoted(self, quoted: quotations.Quoted) -> Iterator[Draft]:
        """What a doctor said of the writer, and relatives of themselves."""
        if not quoted.who:
            yield from self._clauses(quoted.text, sentence=quoted.text, forced=False)
            return
        theirs = _Reading(f"{self._name}'s {quoted.who}", statements=False)
        for draft in theirs.read(quoted.text):
            if isinstance(draft, Draft):  # hearsay: pinned only where a guest could come to harm
                harm = any(t.predicate in ("allergic_to", "cannot_eat") for t in draft.triples)
                yield replace(draft, pinned=harm)

    def _sentence(self, sentence: str, plain: str) -> Iterator[Draft | Forget]:
        forget = orders.forgotten(plain)
        if forget is not None:
            if forget:
                yield Forget(rewritten(forget, name=self._name) or forget)
            return
        remember = orders.remembered(sentence) or orders.remembered(plain)
        asks = sentence.endswith("?")
        if remember is not None and not asks:
            yield from self._clauses(remember, sentence=remember, forced=True)
            return
        wish = self._wish(sentence) or self._wish(plain)
        if wish is not None and not asks:
            yield from self._wishes(plain if self._wish(sentence) is None else sentence)
            return
        called = orders.called(plain)
        if called is not None:
            yield drafting.named(
                called, f"{self._name} wants to be called {called}", whose=self._name
            )
            return
        yield from self._clauses(sentence, sentence=sentence, forced=False)

    def _clauses(self, text: str, *, sentence: str, forced: bool) -> Iterator[Draft]:
        parts = clauses(text)
        asks = text.rstrip(" \"')").endswith("?")
        pending = ""
        skip = False
        missed = False
        found_any = False
        told: list[Draft] = []
        retracted: Draft | None = None
        for place, part in enumerate(parts):
            if len(told) >= MAX_FACTS:
                break
            last = place == len(parts) - 1
            if len(part) > MAX_CLAUSE:
                continue
            if told and dictation.retracts(part):
                retracted = told[-1]
            clause = filters.without_tails(filters.without_prefixes(part))
            if filters.is_question(clause) or (asks and last):
                missed = True
                self._ask_for(clause)
                if asks:
                    break
                continue
            if skip and not last and not clause.lower().startswith(("i ", "i'", "my ")):
                continue
            if skip:
                skip = False
                missed = True
                continue
            if filters.is_condition(clause):
                skip = True
                continue
            if not last and (elisions.is_lead(clause) or filters.is_subordinate(clause)):
                pending = clause[:1].lower() + clause[1:]
                continue
            if pending:
                clause = f"{clause} {pending}"
                pending = ""
            drafts = list(self._clause(clause, opening=place == 0, forced=forced))
            if drafts:
                found_any = True
                if retracted is not None and dictation.same_matter(retracted, drafts[0]):
                    told.remove(retracted)
                    retracted = None
                told.extend(drafts)
            else:
                self._ask_for(clause)
                missed = missed or len(clause.split()) > 3
        yield from told
        if self._statements and (missed or not found_any) and not asks:
            yield from self._statement(sentence)

    def _ask_for(self, clause: str) -> None:
        """Keep for whom something is asked: "write a card for my uncle, he ..."."""
        who = antecedents.asked_for(clause)
        if who and (filters.is_request(clause) or filters.is_question(clause)):
            self._antecedent = f"{self._name}'s {who}"

    def _wish(self, text: str) -> str | None:
        """What the user always wants of our answers. Speakers with names talk to each other."""
        return orders.standing(text.rstrip(".! ")) if self._name == "User" else None

    def _wishes(self, sentence: str) -> Iterator[Draft]:
        first, *rest = orders.each(sentence)
        yield from self._made(f"{self._name} {self._wish(first)}", kind="preference")
        for order in rest:
            yield from self._clause(filters.without_tails(order), opening=False)

    def _statement(self, sentence: str) -> Iterator[Draft]:
        plain = filters.without_prefixes(sentence)
        if len(plain) > MAX_CLAUSE or len(plain.split()) < 4:
            return
        if filters.is_question(plain) or filters.is_request(plain) or filters.is_condition(plain):
            return
        if filters.is_about_code(plain):
            return
        yield Draft(f"{self._name}: {finished(plain)}", kind="statement")

    # -------------------------------------------------------------------------------- clauses

    def _clause(self, clause: str, *, opening: bool, forced: bool = False) -> Iterator[Draft]:
        """The facts of one clause."""
        clause = filters.without_contrast(clause.strip())
        if len(clause) < 6 or " " not in clause or len(clause) > MAX_CLAUSE:
            return
        key = clause.lower()
        if key in self._seen:
            return
        self._seen.add(key)
        called = orders.called(clause)
        if called is not None:
            yield drafting.named(
                called, f"{self._name} wants to be called {called}", whose=self._name
            )
            return
        wish = self._wish(clause)
        if wish is not None:
            yield from self._made(f"{self._name} {wish}", kind="preference")
            return
        own, clause = openings.role(clause)
        if own is not None:
            yield from self._clause(own, opening=False)
            if not clause:
                return
        clause = elisions.reordered(clause)
        clause = elisions.spelled_subject(clause, opening=opening)
        named = openings.as_name(clause, greeted=self._greeted)
        if named is not None:
            yield drafting.named(named[0], "'s name is", whose=self._name)
            yield from self._self_description(named[1])
            return
        introduced = openings.introduced(clause, greeted=self._greeted)
        if introduced is not None:
            yield drafting.named(introduced, "'s name is", whose=self._name)
            return
        if (
            filters.is_addressed(clause)
            or filters.is_about_code(clause)
            or filters.is_idiom(clause)
        ):
            return
        sentence = self._about(clause)
        if sentence is None and forced and not filters.is_request(clause):
            sentence = rewritten(clause, name=self._name)
        if sentence is not None:
            yield from self._made(sentence)

    def _self_description(self, text: str) -> Iterator[Draft]:
        """What follows a name: "a nurse from Leeds", "31, UX designer"."""
        for piece in re.split(r", ", text) if text else ():
            own = re.match(r"(?:I|I'm|my|we)\b|(?:a|an|the|from)\b", piece, re.IGNORECASE)
            if own is None:
                yield from self._told(piece)
            else:
                about_me = piece if own.group()[0] in "ImMwW" else f"I am {piece}"
                yield from self._clause(about_me, opening=False)

    def _about(self, clause: str) -> str | None:
        name = self._name
        return (
            subjects.about_compound(clause, name=name)
            or subjects.about_first(clause, name=name)
            or subjects.about_possession(clause, name=name)
            or antecedents.about_antecedent(clause, name=name, antecedent=self._antecedent)
            or subjects.about_other(clause, name=name)
        )

    # ---------------------------------------------------------------------------------- facts

    def _made(self, sentence: str, *, kind: Kind | None = None) -> Iterator[Draft]:
        draft = drafting.drafted(sentence, name=self._name, kind=kind)
        if draft is None:
            return
        self._antecedent = antecedents.antecedent_of(draft.content, name=self._name) or (
            self._antecedent if not draft.content.startswith(f"{self._name}'s ") else ""
        )
        yield draft
