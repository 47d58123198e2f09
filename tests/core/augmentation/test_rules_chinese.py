"""What the Chinese rules find, and what they leave alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.augmentation.rules import RuleExtractor
from memori_core.augmentation.rules.base import Draft, Forget, Material
from memori_core.augmentation.rules.chinese import Chinese
from memori_core.conversation import Message


def found(text: str, *, subject: str | None = None, statements: bool = False):
    return list(Chinese().drafts(text, subject=subject, statements=statements))


def facts(text: str) -> list[str]:
    return [draft.content for draft in found(text) if isinstance(draft, Draft)]


def triples(text: str) -> set[tuple[str, str]]:
    return {(t.predicate, t.object) for d in found(text) if isinstance(d, Draft) for t in d.triples}


FACTS = [
    ("我住在杭州,对花生过敏。", ["用户住在杭州。", "用户对花生过敏。"]),
    ("我在青岛长大,会弹古筝", ["用户在青岛长大。", "用户会弹古筝。"]),
    ("我养了两只猫,一只叫豆豆,一只叫毛毛", ["用户养了两只猫,一只叫豆豆,一只叫毛毛。"]),
    ("我有个儿子,今年五岁", ["用户有个儿子。", "用户的儿子今年五岁。"]),
    ("其实我很忙,老板天天让加班", ["用户很忙。", "用户的老板天天让加班。"]),
    ("我公司在浦东", ["用户的公司在浦东。"]),
    ("我妈下周三来看我", ["用户的妈妈下周三来看用户。"]),
    ("我男朋友是程序员,他喜欢打游戏", ["用户的男朋友是程序员。", "用户的男朋友喜欢打游戏。"]),
    ("我跟我弟都对尘螨过敏", ["用户和弟弟都对尘螨过敏。"]),
    ("刚换了工作", ["用户刚换了工作。"]),
    ("去年考了驾照", ["用户去年考了驾照。"]),
    ("最近在学西班牙语", ["用户最近在学西班牙语。"]),
    ("叫我小王就好", ["用户希望被叫小王。"]),
    (
        "我妈六十岁,身体不太好,有糖尿病",
        ["用户的妈妈六十岁。", "用户的妈妈身体不太好。", "用户的妈妈有糖尿病。"],
    ),
    ("下周我要去日本", ["用户下周要去日本。"]),
    ("除了周三我都有空", ["用户除了周三都有空。"]),
    ("作为一个老师,我每天要备课", ["用户是一个老师。", "用户每天要备课。"]),
    ("女,28岁,在上海工作,求推荐", ["用户女,28岁。", "用户在上海工作。"]),
    ("姓名:李明,城市:成都", ["用户的姓名是李明。", "用户的城市是成都。"]),
    ("关于我:\n- 住在成都\n- 对芒果过敏", ["用户住在成都。", "用户对芒果过敏。"]),
    ("我喜欢靠窗的座位,能帮我订票吗?", ["用户喜欢靠窗的座位。"]),
    ("我有痛风能吃海鲜吗?", ["用户有痛风。"]),
    ("我是产品经理,请帮我写一份周报", ["用户是产品经理。"]),
    ("我平时用 Vim 写 Go", ["用户平时用 Vim 写 Go。"]),
    ("我用的是 MacBook Pro", ["用户用的是 MacBook Pro。"]),
    ("不对,我不是在南京,我是在苏州。", ["用户不是在南京。", "用户是在苏州。"]),
    ("醫生說我血糖高", ["醫生說用户血糖高。"]),
    ("我住喺香港", ["用户住喺香港。"]),
    ("回答简短点", ["用户希望回答简短点。"]),
    ("以后请用中文回答", ["用户希望用中文回答。"]),
    ("请记住我周五不开会", ["用户周五不开会。"]),
    ("别忘了我妈对青霉素过敏", ["用户的妈妈对青霉素过敏。"]),
    ("我换了新手机,是小米14", ["用户换了新手机。"]),
]

NOTHING = """
北京今天天气怎么样?
我可以带猫坐高铁吗
我的密码忘了怎么找回?
你觉得我应该辞职吗?
我该怎么办
我要是有钱就好了
如果我有时间,我会去健身
真希望我能中彩票
假设我叫小明,今年十岁,请写一篇日记。
把下面这段话翻译成英文:我住在上海,有两个孩子。
请润色:我是一名学生,来自中国。
扮演一个医生,我是病人
请以“我的母亲”为题写一篇作文
从现在起你是一只猫
我们来玩个游戏吧,我是玩家,你是主持人
“我有一个梦想”是谁说的?
他说:“我喜欢你”
朋友说我像林黛玉,笑死
我妈说我太瘦了
我有个问题想请教一下
我想问一下怎么退款
我明白了,谢谢
我的代码报错了
我需要一份简历模板
我想写一篇关于环保的作文
好的,知道了
哈哈哈哈
我饿了
我也是
我在路上
你记得我的生日吗?
我告诉过你我对什么过敏吗
不是,我说的是第二个文件
""".split()


@pytest.mark.parametrize(("text", "expected"), FACTS)
def test_facts_are_told_about_the_user(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_what_says_nothing_about_the_user_makes_no_fact(text):
    assert facts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "我对海鲜过敏",
        "我對蝦過敏",
        "我乳糖不耐受",
        "我有高血压",
        "我爸有心脏病",
        "我怀孕五个月了",
        "我不吃猪肉",
        "我唔食牛肉",
        "我从来不喝酒",
        "我每天要打胰岛素",
        "女儿对芒果过敏",
        "我吃不了花生",
        "饮食禁忌:海鲜过敏",
        "我叫王芳",
        "我是 Kevin",
    ],
)
def test_health_and_names_are_pinned(text):
    assert [draft.pinned for draft in found(text) if isinstance(draft, Draft)] == [True]


@pytest.mark.parametrize(
    "text", ["我朋友小李不吃辣", "我不吃早饭", "我对猫不过敏", "我喜欢爬山", "我已经不吃素了"]
)
def test_other_facts_are_not_pinned(text):
    assert [draft.pinned for draft in found(text) if isinstance(draft, Draft)] == [False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我对海鲜和坚果都过敏。", {("allergic_to", "海鲜"), ("allergic_to", "坚果")}),
        ("我不喜欢跑步", {("dislikes", "跑步")}),
        ("我不是在上海,我在杭州", set()),
        ("我以前在深圳工作", set()),
        ("我在 Google 做 SRE", {("works_at", "Google"), ("occupation", "SRE")}),
        ("我现在在上海工作", {("works_in", "上海")}),
        ("我是四川人", {("from", "四川")}),
        ("我的生日是5月20日", {("birthday", "5月20日")}),
        ("我打算下个月去冰岛旅游", {("plans", "去冰岛旅游")}),
        ("我没有糖尿病", set()),
        ("我会说日语和一点韩语。", {("speaks", "日语"), ("speaks", "韩语")}),
        ("我养了一只猫,叫团子", {("has_pet", "猫"), ("has_pet", "团子")}),
    ],
)
def test_triples(text, expected):
    assert triples(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "我下个月满三十岁",
        "下个月我女儿满五岁",
        "我女儿下个月满五岁",
        "我明年三十岁",
        "我4月20日满三十岁",
        "我快五十岁了",
        "我即将满三十岁",
        "我马上三十岁了",
        "我去年三十岁",
        "我2020年三十岁",
        "我爸周六六十岁生日",
        "我妈妈下周六十岁生日",
        "我三十岁的时候结婚",
        "我六岁开始弹琴",
        "我五岁的女儿会游泳",
    ],
)
def test_an_age_of_another_time_is_no_age(text):
    said_at = datetime(2026, 3, 10, 10, tzinfo=UTC)
    made = RuleExtractor().extract([Message("user", text)], said_at=said_at)
    assert [t for fact in made.facts for t in fact.triples if t.predicate == "age"] == []


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("我今年三十岁", "三十岁"),
        ("我三十五岁了", "三十五岁"),
        ("我刚满十八岁", "十八岁"),
        ("我昨天满三十岁了", "三十岁"),
        ("我女儿上个月满五岁了", "五岁"),
        ("我是28岁的程序员", "28岁"),
        ("我儿子五岁半,很皮", "五岁"),
    ],
)
def test_an_age_of_today_is_one(text, age):
    said_at = datetime(2026, 3, 10, 10, tzinfo=UTC)
    made = RuleExtractor().extract([Message("user", text)], said_at=said_at)
    assert [t.object for fact in made.facts for t in fact.triples if t.predicate == "age"] == [age]


@pytest.mark.parametrize(
    ("text", "predicate", "new", "old"),
    [
        ("我从南京搬到了苏州", "lives_in", ["苏州"], ["南京"]),
        ("我上个月从阿里跳槽到字节了", "works_at", ["字节"], ["阿里"]),
        ("我已经不在阿里了", "works_at", [], ["阿里"]),
    ],
)
def test_b86_a_move_ends_what_was(text, predicate, new, old):
    (draft,) = found(text)
    assert isinstance(draft, Draft)
    assert [t.object for t in draft.triples if t.predicate == predicate] == new
    assert [t.object for t in draft.ends if t.predicate == predicate] == old


def test_b33_the_text_stays_in_the_language_and_script_of_the_user():
    assert facts("我對花生過敏,常用 VS Code") == ["用户對花生過敏。", "用户常用 VS Code。"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("忘掉我的地址", "用户的地址"),
        ("别记我的工资", "用户的工资"),
        ("请把我的生日忘掉", "用户的生日"),
    ],
)
def test_an_order_to_forget_is_no_fact(text, what):
    assert found(text) == [Forget(what)]


def test_material_ends_the_message():
    assert found("帮我润色下面的文字:\n我今年三十岁。\n我住在上海。") == [Material()]


def test_a_named_speaker_is_told_by_name():
    (draft,) = found("我妈住在成都", subject="小美")
    assert isinstance(draft, Draft)
    assert draft.content == "小美的妈妈住在成都。"


def test_other_sentences_come_as_statements_when_asked_for():
    (draft,) = found("这家店的面条非常筋道。", statements=True)
    assert isinstance(draft, Draft)
    assert (draft.kind, draft.content) == ("statement", "用户: 这家店的面条非常筋道。")
    assert found("这家店的面条怎么样?", statements=True) == []


@given(
    text=st.text(
        alphabet=st.one_of(
            st.sampled_from("我妈的不是在有叫对过敏吗,。?:“”了从到 \n岁年1aA"), st.characters()
        ),
        max_size=80,
    )
)
def test_no_text_raises_and_no_fact_is_empty(text):
    for finding in found(text, statements=True):
        if isinstance(finding, Draft):
            assert len(finding.content) > 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "那个我最近老是胃疼医生说我是胃溃疡然后让我每天吃两片奥美拉唑",
            ["用户最近老是胃疼。", "医生说用户是胃溃疡。", "用户每天吃两片奥美拉唑。"],
        ),
        ("我女儿是上大班,不是中班", ["用户的女儿是上大班。"]),
        ("普通话一般,粤语还行", ["用户普通话一般。", "用户粤语还行。"]),
        ("帮我列个下周去大连的行程", ["用户下周去大连。"]),
        ("帮我安排下周去上海的会议", []),
        ("帮我写个请假条,部门是市场部", ["用户的部门是市场部。"]),
        ("这份简历目标是产品经理", []),
        ("我换了数据线也不行", []),
        ("就是我想要的", []),
        ("网络真的不行", []),
        ("综艺真的不行,没意思", []),
        ("不对,我记错了,我是五月生的", ["用户是五月生的。"]),
        ("羊肉也不碰", ["用户羊肉也不碰。"]),
    ],
)
def test_run_on_clauses_and_subjects_left_out(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我在一家卖茶的小公司当会计", {("works_at", "一家卖茶的小公司"), ("occupation", "会计")}),
        ("我去年从苏州搬到了成都", {("lives_in", "成都")}),
        ("我周末一般去打羽毛球", {("plays", "羽毛球")}),
        ("我大学在兰州读的土木", {("studied", "土木")}),
        ("我那辆车是大众途观", {("drives", "大众途观")}),
        ("我后天要去杭州出差", {("plans", "去杭州出差")}),
        ("我要去医院看我妈", set()),
        ("我膝盖有旧伤", {("has_condition", "旧伤")}),
        ("我家两只猫一只叫芝麻", {("has_pet", "猫")}),
        ("我们公司有个客户去年跳到阿里做运营", set()),
    ],
)
def test_more_triples(text, expected):
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("我每天早上吃一片氨氯地平", True),
        ("我胃不好", True),
        ("我膝盖有旧伤", True),
        ("五辛也不碰", True),
        ("我爸不吃海鲜", False),
        ("我爸不能吃海鲜", True),
        ("我妈膝盖不好", False),
        ("我吃了两片感冒药", False),
    ],
)
def test_kinds_of_health_that_are_pinned(text, pinned):
    assert [draft.pinned for draft in found(text) if isinstance(draft, Draft)] == [pinned]
