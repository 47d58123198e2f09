"""The Chinese rules: from a text to drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Literal

from memori_core.augmentation.rules.base import MAX_FACTS, Draft, Forget, Material
from memori_core.augmentation.rules.chinese import corrections, frames, openings, orders, relations
from memori_core.augmentation.rules.chinese.clauses import (
    MAX_CLAUSE,
    ONE_CHARACTER,
    Clause,
    Sentence,
    sentences,
)
from memori_core.augmentation.rules.chinese.state import (
    State,
    introduced,
    is_contrast,
    repeats,
    wishes,
)
from memori_core.augmentation.rules.chinese.subjects import (
    USER,
    Subject,
    Told,
    find_subject,
    render,
)

MAX_CLAUSES = 5_000
"""Clauses of one message that are read. A person's message has fewer."""

_CJK = re.compile("[\u3400-\u9fff]")


_READERS = (
    orders.anniversary,
    orders.role,
    orders.call_me,
    orders.form_line,
    orders.trip,
)
"""What reads a clause of a form of its own."""


class Chinese:
    """What Chinese texts say about their writers."""

    @property
    def code(self) -> Literal["zh"]:
        return "zh"

    def drafts(
        self, text: str, *, subject: str | None, statements: bool
    ) -> Iterator[Draft | Forget | Material]:
        """What a text says, in order."""
        state = State(subject or USER)
        held: list[Draft | Forget] = []  # until the next sentence does not take it back
        for sentence in sentences(_doctors_words(text)):
            if state.read > MAX_CLAUSES:
                break
            found = list(_read(sentence, state, statements=statements))
            before, held = corrections.corrected(held, sentence, found)
            yield from before
            if _opens_material(sentence):
                yield from held
                yield Material()
                return
        yield from held


_DOCTOR_QUOTED = re.compile(
    r"(?P<who>(?:医生|大夫|醫生)[^,，。“\"「\n]{0,4}[说說])[:：,，]?"
    r"[“\"「](?P<what>你[^”\"」?？\n]{2,60}?)[。!！]?[”\"」]"
)


def _doctors_words(text: str) -> str:
    """What a doctor said, told of the writer: 医生说“你有哮喘” → 医生说我有哮喘."""
    return _DOCTOR_QUOTED.sub(lambda f: f["who"] + f["what"].replace("你", "我"), text)


def _opens_material(sentence: Sentence) -> bool:
    """Whether what follows this sentence is the material of a task."""
    first = sentence.clauses[0].plain if sentence.clauses else ""
    if any(frames.is_play(clause.plain) for clause in sentence.clauses):
        return True
    return frames.opens_material(first) and re.search("[:：]$|[:：]", sentence.text) is not None


def _read(sentence: Sentence, state: State, *, statements: bool) -> Iterator[Draft | Forget]:
    state.drafts = []
    state.forced = state.listing = state.doctor = state.foreign = False
    state.introduced = state.named = state.naming = None
    state.about = None
    order: Forget | None = None
    clauses = _kept(sentence)
    for clause in clauses:
        if len(clause.text) > MAX_CLAUSE or clause.plain in ONE_CHARACTER:
            continue
        state.read += 1
        if state.read > MAX_CLAUSES or len(state.drafts) >= MAX_FACTS:
            break
        if (forget := orders.forget(clause, user=state.user)) is not None:
            order = forget
            break
        if not _clause(clause, state):
            break
    yield from state.drafts
    if order is not None:
        yield order
    elif statements and not state.drafts and _is_statement(sentence):
        yield Draft(f"{state.user}: {sentence.text}。", kind="statement")


def _kept(sentence: Sentence) -> Iterator[Clause]:
    """The clauses of a sentence that are not asked."""
    clauses = sentence.clauses
    asked = any(mark in sentence.mark for mark in "?？")
    if re.fullmatch('["“「『].*["”」』]', sentence.text):
        return
    supposed = False
    for number, clause in enumerate(clauses, 1):
        if asked and number == len(clauses):
            if (told := frames.before_question(clause)) is not None:
                yield told
            return
        bare = openings.bare(clause)
        if (told := frames.before_question(bare)) is not None:
            yield told
            continue
        if supposed or frames.is_condition(bare.plain):
            supposed = True
            continue
        yield clause


def _is_statement(sentence: Sentence) -> bool:
    if any(mark in sentence.mark for mark in "?？") or len(_CJK.findall(sentence.text)) < 4:
        return False
    return not any(
        frames.is_question(c.plain)
        or frames.is_request(c.plain)
        or frames.opens_material(c.plain)
        or frames.is_talk(c.plain)
        for c in sentence.clauses
    )


def _clause(clause: Clause, state: State) -> bool:
    """Read one clause; False where the rest of its sentence is no longer about the writer."""
    if not _CJK.search(clause.plain):
        state.about = None
        return True
    clause = openings.bare(clause)
    if (ordered := orders.remember(clause)) is not None:
        state.forced = True
        clause = openings.bare(ordered)
    if (listed := orders.profile(clause)) is not None:
        state.profile = True
        clause = listed
    if not clause:
        return True
    style = partial(orders.preference, tasked=state.tasked)
    for read in (*_READERS, style):
        if (draft := read(clause, user=state.user)) is not None:
            if clause.plain.startswith("尽量") and wishes(state):
                last = state.drafts[-1]
                content = f"{last.content.rstrip('。')},{clause.text}。"
                state.drafts[-1] = replace(last, content=content)
                return True
            state.drafts.append(draft)
            state.about = Subject(state.user, user=True)
            return True
    state.tasked = state.tasked or frames.asks_for_text(clause.plain)
    if frames.is_play(clause.plain) or (frames.opens_material(clause.plain) and not state.forced):
        return False
    if (who := openings.meant_for(clause.plain)) is not None:
        named = clause.text[slice(*who)]
        kin = named * 2 if len(named) == 1 else named
        state.other = Subject(f"{state.user}的{kin}", user=False)
    if _dropped(clause.plain, state):
        state.about = None
        return True
    _tell(clause, state)
    return True


def _dropped(plain: str, state: State) -> bool:
    if frames.is_question(plain) or frames.is_wish(plain):
        return True
    if state.forced:
        return False
    if frames.is_request(plain) or frames.is_talk(plain) or frames.points(plain):
        return True
    if re.search('["“「『].*(?:我|你)', plain):
        return True
    if frames.is_doctors_word(plain):
        return False
    return frames.is_others_word(plain) or (
        not plain.startswith("我") and frames.is_reported(plain)
    )


def _tell(clause: Clause, state: State) -> None:
    """Add what a clause says about the writer, or about somebody of theirs."""
    if _attach_name(clause, state):
        return
    told = find_subject(clause, user=state.user, before=state.other)
    if told is None:
        told = _untold(clause, state)
    if told is None:
        state.about = None
        state.foreign = state.foreign or (
            clause.plain.startswith(("他", "她")) or openings.meant_for(clause.plain) is not None
        )
        return
    state.naming = None
    if not told.elided:
        state.named = told.subject
    if told.subject.person:
        state.about = told.subject
        if not told.subject.user:
            state.other = told.subject
    elif told.subject.text.endswith(("家", "家里")) or not told.subject.user:
        state.about = Subject(state.user, user=True)
    if not _sound(told, state):
        return
    if told.elided and state.drafts and is_contrast(told.rest.plain, state):
        return  # 上四年级,不是三年级
    if told.elided and repeats(told, state):
        return  # 还是做测试, after 在美团做测试
    if told.elided and state.drafts and openings.is_tag(told.rest.plain) and state.listing:
        last = state.drafts[-1]
        state.drafts[-1] = replace(last, content=f"{last.content.rstrip('。')},{told.rest.text}。")
        return
    state.listing = openings.is_tag(told.rest.plain)
    name = orders.name_in(told)
    if name is not None and told.elided and state.drafts and state.drafts[-1].kind != "identity":
        return  # the name of what the clause before spoke of
    state.introduced = introduced(told, state)
    meaning = _meaning(told, state, name=name)
    state.drafts.append(
        Draft(
            f"{render(told, user=state.user)}。",
            kind=meaning.kind,
            pinned=meaning.pinned,
            triples=meaning.triples,
            ends=meaning.ends,
        )
    )


def _meaning(told: Told, state: State, *, name: str | None) -> relations.Meaning:
    """What a clause amounts to; what a doctor found is about the writer."""
    found = _found_by_doctor().match(told.rest.plain) if not told.subject.text else None
    if found is None:
        return relations.read(told.subject, told.rest, name=name)
    return relations.read(Subject(state.user, user=True), told.rest.cut(found.end()))


@cache
def _found_by_doctor() -> re.Pattern[str]:
    return re.compile("(?:我的?)?(?:医生|大夫|医院).{0,3}?(?:说|诊断)我")


def _untold(clause: Clause, state: State) -> Told | None:
    """A clause without a subject: about the one before it, or about the writer."""
    user = Subject(state.user, user=True)
    if state.doctor and clause.plain.startswith(("让我", "叫我")):
        return Told(user, clause.cut(2))
    state.doctor = frames.is_doctors_word(clause.plain)
    if state.doctor and "我" in clause.plain:
        return Told(Subject("", user=False, person=False), clause)
    if end := openings.own_attribute(clause.plain):
        who = clause.cut(0, end)
        subject = Subject(
            f"{state.user}的{who.text}", user=False, person=False, attribute=who, of=state.user
        )
        return Told(subject, clause.cut(end))
    if re.match("家里?(?!人)", clause.plain):
        return Told(user, clause, elided=True) if openings.continues(clause.plain) else None
    if state.introduced is not None and openings.is_introduction(clause.plain):
        state.about = state.introduced
    if state.about is not None and openings.continues(clause.plain):
        return Told(state.about, clause, elided=True)
    if state.foreign:
        return None
    if openings.opens(clause.plain) or (state.profile and openings.continues(clause.plain)):
        if state.named is None or state.named.user or not state.named.person:
            return Told(user, clause, elided=True)
        return Told(state.named, clause, elided=True) if openings.continues(clause.plain) else None
    if state.forced and openings.continues(clause.plain):
        return Told(user, clause, elided=True)
    if state.forced:
        return Told(Subject("", user=False, person=False), clause)
    return None


@cache
def _bare_name() -> re.Pattern[str]:
    return re.compile(
        r"^(?:它|她|他|一[只个条位]|另外?一[只个条位]|老大|老二|大的|小的)?(?:的?(?:名字|小名|大名"
        r"|英文名))?(?:是|叫(?:做|作)?|取名叫?"
        r"|起名叫?)(?P<name>[\w\u4e00-\u9fff·-]{1,12}(?: [A-Z]\w+)?)$"
    )


def _attach_name(clause: Clause, state: State) -> bool:
    """A name for what the clause before introduced: 养了一只猫,叫团子."""
    match = _bare_name().match(clause.plain)
    if match is None or not state.drafts or re.search("叫|名", match.group()) is None:
        return False
    before = state.drafts[-1]
    kind = state.naming or openings.introduces(before.content)
    if kind is None:
        return False
    state.naming = kind
    name = clause.text[match.start("name") : match.end("name")]
    told = clause.text.lstrip("它牠她他")
    content = f"{before.content.rstrip('。')},{told}。"
    triples = before.triples
    if kind == "pet":
        triples = (*triples, relations.pet(state.user, name))
    state.drafts[-1] = Draft(
        content, kind=before.kind, pinned=before.pinned, triples=triples, ends=before.ends
    )
    return True


def _sound(told: Told, state: State) -> bool:
    """Whether what is left is a statement."""
    plain = told.rest.plain
    if len(plain) < 2 or plain.startswith(("、", "的", ":", "：", "和", "跟")) or not plain:
        return bool(told.elided and plain)
    if told.subject.user and not told.elided and not state.forced:
        return not openings.is_stub(plain)
    return True
