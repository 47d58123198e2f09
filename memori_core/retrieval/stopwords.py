"""Words that say nothing about what a text is about, and words of pure courtesy."""

from __future__ import annotations

# The list of the field: `STOPWORDS_EN_PLUS` of bm25s (a test holds the two together; importing
# bm25s itself would load numba).
ENGLISH = frozenset(
    """
a about above after again against ain all am an and any are aren aren't as at be because been
before being below between both but by can couldn couldn't d did didn didn't do does doesn doesn't
doing don don't down during each few for from further had hadn hadn't has hasn hasn't have haven
haven't having he her here hers herself him himself his how i if in into is isn isn't it it's its
itself just ll m ma me mightn mightn't more most mustn mustn't my myself needn needn't no nor not
now o of off on once only or other our ours ourselves out over own re s same shan shan't she she's
should should've shouldn shouldn't so some such t than that that'll the their theirs them
themselves then there these they this those through to too under until up ve very was wasn wasn't
we were weren weren't what when where which while who whom why will with won won't wouldn wouldn't
y you you'd you'll you're you've your yours yourself yourselves
""".split()
)

# Characters that make Chinese and Japanese grammar rather than content.
CJK = frozenset(
    "的了是在我你您他她它们们这那哪谁吗呢吧啊呀哦嗯么什怎有没不就也都和与及或而但被把给对从到向为以"
    "于之其此些个会能可要想请问多少几很还又再只让"
    "のはがをにでともやへかなだですまれるたてこそあどうよしさいらりっん"
)

# A line that holds one of these, and for the rest stop words and fillers, is courtesy.
PHATIC = frozenset(
    """
hello hi hey hiya howdy yo greetings
thanks thank thx ty cheers appreciate appreciated
ok okay yes yeah yep yup nope no please sorry pardon congrats congratulations alright
bye goodbye goodnight ciao cya farewell lol rofl lmao wow oh ah hmm mm uh um
gotcha understood noted
""".split()
)

# Words that courtesy is made up with; a line of nothing else ("great, perfect") is courtesy too.
FILLERS = frozenset(
    """
good great nice fine cool awesome perfect excellent wonderful brilliant lovely super right sure
exactly absolutely definitely indeed correct agreed funny welcome got much lot lots well there
morning afternoon evening night day everyone everybody all
""".split()
)

PHATIC_PHRASES = (
    "how are you doing",
    "how are you",
    "how do you do",
    "how is it going",
    "how's it going",
    "what's up",
    "nice to meet you",
    "good morning",
    "good afternoon",
    "good evening",
    "good night",
    "see you later",
    "see you soon",
    "see you",
    "talk to you later",
    "sounds good",
    "that's funny",
    "no problem",
    "never mind",
)

PHATIC_CJK = (
    "谢谢",
    "多谢",
    "感谢",
    "谢啦",
    "你好",
    "您好",
    "大家好",
    "早上好",
    "下午好",
    "晚上好",
    "早安",
    "晚安",
    "再见",
    "拜拜",
    "回头见",
    "明天见",
    "好的",
    "好",
    "好吧",
    "好呀",
    "好啊",
    "行吧",
    "可以",
    "没问题",
    "没事",
    "不客气",
    "知道了",
    "明白了",
    "明白",
    "懂了",
    "了解",
    "收到",
    "嗯嗯",
    "嗯",
    "哦",
    "哈哈",
    "呵呵",
    "嘿嘿",
    "嗨",
    "哈喽",
    "辛苦了",
    "对不起",
    "抱歉",
    "不好意思",
    "太好了",
    "太棒了",
    "真棒",
    "厉害",
    "是的",
    "对的",
    "没错",
    "你在吗",
    "在吗",
    "你好吗",
    "最近怎么样",
    "你真好",
    "ありがとう",
    "ありがとうございます",
    "こんにちは",
    "こんばんは",
    "おはよう",
    "さようなら",
    "はい",
    "いいえ",
    "すみません",
)
