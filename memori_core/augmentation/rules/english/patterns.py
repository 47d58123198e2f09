"""What English clauses are taken for. Data only: each pattern is matched at the start of a clause.

Patterns are matched without regard to case, against text with chat spellings spelled out
("im" → "I'm"), so they hold the apostrophes.
"""

from __future__ import annotations

# --------------------------------------------------------------------------- what stands in front

PREFIXES = (
    # Each is followed by a mark or a space, and may repeat.
    r"so|well|btw|by the way|anyways?|anyhow|ok(?:ay)?|yeah|yep|yes|yup|nope|hi(?: there| all)?|"
    r"hey(?: there| guys| all)?|hello(?: there| everyone| again)?|good (?:morning|"
    r"evening|afternoon)|"
    r"haha\w*|hehe\w*|lol|lmao|oh(?: my god| no| yes| well| man)?|ah+|aha|ugh|umm*|uhh*|hm+|wow|"
    r"actually|honestly|basically|frankly|seriously|obviously|apparently|"
    r"unfortunately|fortunately|sadly|luckily|thankfully|admittedly|incidentally|turns out|"
    r"no wait|wait no|wait|scratch that|hold on|i mean(?=[,:])|um+|"
    r"(?:it|as it) turns out(?: that)?|long story short|to be (?:honest|fair|clear|frank)|tbh|ngl|"
    r"not gonna lie|not going to lie|in (?:fact|short|general|all honesty|my case)|imo|imho|"
    r"as you (?:may |might |probably |already )?know|"
    r"as (?:i|I) (?:said|mentioned|told you)(?: before| earlier| already)?|"
    r"(?:like )?I(?:'ve)? (?:already )?(?:told you|said|mentioned)(?: you)?(?: "
    r"already| before| that| earlier)*(?=[:,])|"
    r"correction|update|edit|background|backstory|for (?:some )?context|some context|context|"
    r"fun fact|(?:just )?so (?:that )?you know|for the record|for reference|side note|"
    r"on (?:a|another) (?:side )?note|also|plus|besides|moreover|furthermore|additionally|"
    r"after that|another thing|"
    r"one more thing|(?:the )?(?:thing|truth|problem|fact|point|issue) is(?: that)?|"
    r"you know(?: what)?|guess what|look|listen|see|thanks(?: a lot| so much| again)?|"
    r"thank you(?: so much| very much)?|cheers|sorry|great|cool|nice|awesome|"
    r"perfect|sure|right|good|"
    r"alright|all right|and|but|or|because|cause|cuz|coz|although|though|even though|while|"
    r"whereas|then|now|still|yet|therefore|hence|first(?:ly)?(?: of all)?|second(?:ly)?|finally|"
    r"next|lastly|in addition|on top of that|of course|as for me|for me|personally|"
    r"I (?:really )?(?:think|guess|believe|suppose|feel like|feel|reckon|figure|"
    r"must (?:say|admit|confess)|"
    r"have to (?:say|admit)|gotta say|should (?:mention|add|say)|mean|swear|"
    r"confess|admit)(?: that)?"
    r"(?=,? (?:I|I'm|I've|I'd|I'll|my|our|we|we're|we've)\b)|I'd say|"
    r"(?:I )?(?:just )?(?:wanted|want) to (?:mention|let you know|add|say|tell you)(?: that)?|"
    r"(?:just )?(?:letting you know|to let you know|a heads[- ]up|heads[- ]up)(?: that)?|"
    r"(?:it'?s )?(?:worth noting|note)(?: that)?(?=,? (?:I|I'm|my)\b)|"
    r"please|actually no|no(?=[,.!;:]| (?:I|I'm|my|we|it|it's|actually)\b)|not really(?=,)|"
    r"(?:I meant|since)(?=,? (?:I (?:live|work|am|have|had|don't|can't|was)|I'm|I've got|my)\b)"
    r"|personal note|my situation|situation|status|news"
)
"""Words in front of a clause that say nothing."""

COLON_ONLY = frozenset(
    "my situation|situation|status|news|update|edit|background|"
    "backstory|context|correction|personal note|first|second|next|see|look|right|good|great|"
    "while".split("|")
)
"""Prefixes that count only before a mark."""

TAILS = (
    r"(?:haha\w*|lol|lmao|btw|by the way|tho|though|please|thanks|thank you|right|you know|"
    r"i guess|i think|(?:when|whenever) i (?:have to|need to|want to|get the chance|can)|"
    r"if i (?:have|need) to|"
    r"xd+|tbh|ngl|fyi|if that matters|if that helps|just so you know|anyway|"
    r"for what it's worth|to be honest|unfortunately|sadly|thankfully|luckily|"
    r"as you know|in case that matters|in case it matters|ok|okay|:\)|:\(|:d|:p|;\)|<3|\^\^)"
)
"""Words behind a clause that say nothing."""

# --------------------------------------------------------------------- sentences that are material

FRAMES = (
    r"translate|rewrite|rephrase|reword|paraphrase|proofread|proof-read|"
    r"summari[sz]e|tl;?dr\b|grade|"
    r"translation of|correct (?:the|this|my|these|any)? ?(?:grammar|spelling|sentence|text|typos?|"
    r"english|paragraph|following|mistakes|errors)?\b|"
    r"(?:fix|check|improve|polish|edit|review|correct|shorten|simplify|continue|"
    r"complete|finish|analy[sz]e|"
    r"evaluate|critique|format|convert|classify|label|parse|extract|explain|"
    r"transcribe|spell-?check) "
    r"(?:(?:the|this|that|my|these|following|a) )*(?:grammar|spelling|sentences?|"
    r"text|paragraph|typos?|"
    r"punctuation|following|story|poem|dialogue|quote|passage|phrase|statement|review|tweet|"
    r"sentiment|tone|wording|line|draft|joke|lyrics)\b|"
    r"(?:write|tell|compose|make up|invent|create|generate|draft|give)(?: me| "
    r"us)? (?:[\w-]+ ){0,5}?"
    r"(?:story|stories|poem|song|lyrics|dialogue|scene|script|limerick|haiku|"
    r"sonnet|monologue|novel|"
    r"fan ?fiction|fairy ?tale|joke|diary entry|screenplay|rap|ballad|backstory|character|persona|"
    r"roleplay|speech)\b|"
    r"(?:let's |let us |please )?(?:pretend|role-?play|imagine|act as|act like|"
    r"play the role|suppose|"
    r"assume|assuming|supposing|hypothetically|say (?:that )?(?:i|my|you|we|he|she|there)\b)|"
    r"let'?s (?:say|assume|imagine|pretend|suppose|play)|"
    r"(?:let'?s|can we|i want to) (?:do|try|have) (?:a |some )?role-? ?play|"
    r"you are (?:now )?(?:a|an|my|the)\b|you're (?:now )?(?:a|an) |from now on,? you are|"
    r"how (?:would|do|can|should|could) (?:you|i|we|one) (?:put|say|translate|"
    r"phrase|write|express|word)\b|"
    r"what does .{1,60} mean|(?:user|customer) (?:story|stories)|as an? (?:user|"
    r"customer|admin\w*|visitor|"
    r"developer|shopper|member|guest|manager|buyer),? I (?:want|need|can|should|would like)|"
    r"(?:here(?:'s| is| are) (?:the|my|a|an|some) (?:\w+ ){0,2}(?:text|draft|"
    r"essay|email|letter|paragraph|"
    r"sentence|story|poem|code|message|cv|resume|bio|dialogue|excerpt|transcript|"
    r"log|logs|error|output))|"
    r"given the (?:following|text|context)|(?:text|sentence|input|passage|context|dialogue|example|"
    r"quote|excerpt|prompt|question|translate|lyrics|essay|story|original|email|review|tweet)s?:|"
    r"in (?:the|this|my) (?:story|novel|game|dream|movie|book|play|scene)\b,? I"
)
"""A sentence that begins so makes the rest of the message material of a task."""

ASKING = (
    r"(?:(?:please|hey|hi|hello|ok|okay|so|now|just|first|then|also|and|thanks|sure|great)[,!.]? )*"
    r"(?:(?:can|could|would|will) you (?:please |kindly |also |now |just )*|"
    r"(?:i want|i need|i'd like|i would like) you to |"
    r"(?:please )?help me (?:to )?|(?:i want|i need|i'd like|i would like|i have|"
    r"trying|need|want) to |"
    r"your task is to |please |how about you )?"
)
"""What may stand in front of a frame."""

REQUESTS = (
    r"write|make|help|give|tell|show|list|explain|create|generate|suggest|recommend|find|fix|check|"
    r"compare|draft|build|add|remove|change|update|convert|describe|provide|send|"
    r"set|let me|let's|let us|"
    r"design|plan|book|order|search|look|use|try|put|keep|stop|start|turn|open|close|print|"
    r"calculate|compute|solve|define|implement|debug|refactor|optimi[sz]e|analy[sz]e|review|teach|"
    r"recap|remind|imagine|consider|think|go|come|take|get|do|don't|be|see|say|pick|choose|"
    r"wish|bear|excuse|trust|believe|correct|ask|answer|respond|reply|show|run|read|feel free|"
    r"have (?:a|an|you|fun)|never ?mind|forget|ignore|skip|delete|erase|any (?:ideas|tips|advice|"
    r"suggestions|recommendations|thoughts|chance|clue)|how about|no (?:problem|"
    r"worries|way|idea|need|rush)"
)
"""A clause that begins so asks for something."""

QUESTIONS = (
    r"(?:(?:and|but|so|or|also|then|now|well|ok|okay|hey|please) )?"
    r"(?:(?:what|why|how|where|when|who|whom|whose|which)(?:'s|'re|'d|'ll)?\b(?! "
    r"(?:i|we) (?:was|were|"
    r"am|moved|got|had|lived|grew|met|started)\b)|"
    r"(?:am|are|is|was|were|do|does|did|have|has|had|can|could|will|would|should|shall|may|might|"
    r"must|isn't|aren't|wasn't|don't|doesn't|didn't|haven't|hasn't|can't|couldn't|won't|wouldn't|"
    r"shouldn't) (?:i|you|we|he|she|it|they|there|this|that|these|those|the|my|your|our|his|her|"
    r"their|a|an|any|anyone|someone|anybody|somebody|people|it's|one)\b|"
    r"(?:do|does|did|is|are|can) \w+ (?:know|have|think|work|need|mean|fit|suit|make|like)\b)"
)

CONDITIONS = (
    r"(?:even )?if\b|unless\b|suppos|assum|imagine|provided\b|in case\b|what if\b|were i\b|had i\b|"
    r"should i\b|whether\b|whenever you|hypothetically|say i\b|as long as\b|"
    r"lest\b|until you|once you"
)

SUBORDINATE = (
    r"(?:when|while|before|after|until|since|once|as soon as|whenever|every time|"
    r"each time|as) (?:i|we|my)\b"
)
"""A clause that belongs to the one after it."""

# -------------------------------------------------------------------- clauses that say little

POINTING = (
    r"(?:this|that|these|those) [\w-]+|(?:from |to |near |in )?there(?: originally| too| now)?|"
    r"(?:(?:at|on|for|with|about|of|in|to|into|by) )?(?:this|that|it|them|these|"
    r"those|him|her|you|one|some|so|too|both|either|neither|all|everything|"
    r"nothing|something|"
    r"the (?:first|second|third|fourth|last|other|same|latter|former|next|"
    r"previous)(?: (?:one|option|file|"
    r"version|answer|idea|suggestion|thing|link|part|approach|choice|draft|"
    r"code))?|that one|this one|"
    r"(?:that|this|the|your) (?:idea|option|answer|suggestion|approach|version|"
    r"plan|draft|code|file|solution|list|song|one|"
    r"recipe|joke|story|question|link|message|chat|conversation|explanation|response)|"
    r"(?:the )?(?:first|second|third) (?:one|option)|option [a-z\d]|both of "
    r"(?:them|those)|all of (?:it|them|that|this)|how|what)"
    r"(?: (?:a lot|very much|so much|too|as well|again|already|now|instead|better|"
    r"more|most|anyway|yesterday|today|best|"
    r"here|there|back|up|out|on|off|over|twice|once|though|all|really|"
    r"a bit|every time|also|works?|is|was))*"
)
"""The whole object of a verb, when it says nothing by itself."""

ERRORS = (
    r"(?:get|got|getting|'m getting|am getting|keep getting|see|saw|seeing|'m "
    r"seeing|receive|received|hit|have|'ve got|encounter|encountered|run into|ran "
    r"into)"
    r"\b.{0,60}?\b(?:error|errors|exception|time-?out|traceback|warnings?|stack "
    r"trace|segfault|crash|bug|40\d|50\d|undefined|null|nan|nullpointer\w*|"
    r"message|syntax|failure|status code)\b|"
    r"(?:'m |am |was |'ve been |have been )?(?:just )?(?:trying|try|tried|"
    r"attempting|want|need|unable|having trouble) (?:to )?"
    r"(?:compile|install|deploy|debug|import|connect|build|parse|configure|log "
    r"?in|login|get .{1,40} (?:to work|working|running)|"
    r"run (?:the|my|this|a (?:script|container|query|test))|print|merge|push|pull|"
    r"execute|load|migrate|render|sort|loop|scrape|read (?:a|the) file)\b|"
    r"(?:ran|run|typed|executed|entered|clicked|installed|uninstalled|reinstalled|"
    r"rebooted|restarted|upgraded|updated) "
    r"(?:the (?:command|script|code|program|app|server|following|test|tests|"
    r"query)|it|this|that|`|npm|pip|docker|git|make)"
)

IDIOMS = (
    r".{0,40}\b(?:eat a horse|over the moon|on cloud (?:nine|9)|dying (?:to|of)|"
    r"kill for|all ears|same page|fingers crossed|"
    r"mind is blown|blown away|jaw dropped|head is spinning|cracks? me up|beats "
    r"me|works for me|suits me|"
    r"makes? (?:sense|my day)|made my day|means (?:a lot|the world|so much)|under "
    r"the weather|piece of cake|"
    r"hit the (?:hay|sack|road)|call it a day|break a leg|down the drain|pulling "
    r"my leg|sleep on it|give it a (?:try|go|shot)|"
    r"in the same boat|losing my mind|lost my mind|going crazy|on fire|walking on "
    r"air|heart goes out|rings? a bell|cup of tea|"
    r"laugh(?:ed|ing)? my|rofl|brain is fried|good old|time flies|so much fun|"
    r"hats off|raining cats|run(?:ning)? late|"
    r"read my mind|the bottom of my heart|take a rain ?check|goosebumps|"
    r"jump(?:ing)? for joy|wrap my head)\b"
)

ADDRESSED = r"(?:you|your|yours|yourself|you'(?:re|ve|d|ll)|y'all|thee)"
"""Words that make a clause speak to the reader."""

# ------------------------------------------------------------------------------- clauses about "my"

COMPLAINED_OF = (
    r"printer|computer|laptop|pc|phone|iphone|tablet|ipad|internet|wi-?fi|router|"
    r"connection|code|script|program|app|application|"
    r"build|server|browser|screen|monitor|keyboard|mouse|order|package|parcel|"
    r"docker|container|tests?|account|website|site|page|"
    r"function|query|database|api|request|terminal|shell|install|installation|"
    r"deployment|pipeline|file|files|output|tv|camera|"
    r"battery|charger|bluetooth|headphones|game|console|car|fridge|dishwasher|"
    r"oven|washing machine|toilet|sink|bike|email|outlook|excel|card|payment|"
    r"subscription|login|password|refund|delivery|loop|variable|regex|class|"
    r"component|model|notebook|environment|machine|cursor|sound|microphone"
)
COMPLAINTS = (
    r"(?:is|are|was|'s)(?:n't| not) (?:\w+ing|connect\w*|showing|loading|found|"
    r"recogni[sz]ed|responding|defined|turning|charging|available|here|"
    r"starting)\b|"
    r"(?:won't|doesn't|don't|didn't|can't|cannot|isn't|hasn't|haven't|will not|"
    r"does not|wouldn't|couldn't|stopped|"
    r"crash\w*|freezes|froze|fails?|failed|hangs|keeps|kept|throws|threw|returns|"
    r"returned|gives|gave|shows|says|said|"
    r"broke(?!n? up)|died|gets stuck|got stuck|blinks|looks|seems|makes a|is "
    r"making|is (?:broken|slow|stuck|frozen|failing|crashing|"
    r"down|blank|black|locked|acting|giving|throwing|getting|full|overheating|too|"
    r"so|very slow|missing|late|delayed|wrong|beeping|leaking|dead)|"
    r"has (?:a|an) (?:bug|error|issue|problem|typo|virus|leak|leaking)|has "
    r"stopped|has been (?:slow|crashing|acting|stuck|delayed))\b"
)
IMPERSONAL = (
    r"character|persona|protagonist|avatar|"
    r"question|questions|problem|problems|issue|issues|point|guess|bad|apologies|"
    r"pleasure|mistake|understanding|thoughts?|"
    r"first thought|opinion|idea|request|query|task|code|function|script|error|"
    r"essay|homework|assignment|prompt|message|draft|"
    r"text|sentence|input|output|regex|bug|god|gosh|goodness|concern|confusion|"
    r"doubt|favou?r|condolences|regards|thanks|"
    r"last (?:message|question)|previous (?:message|question)|answer|example|"
    r"program|loop|variable|dataframe|array|bet|two cents|word|"
    r"words|hat|impression|assumption|suggestion|advice|recommendation|eyes? "
    r"(?:were|was)|face when|tests?|build|class|component|title"
)
"""Things that are "mine" and say nothing about me."""

# ----------------------------------------------------------------------- what others do to me

AFFECTS = (
    r"scares?|makes?|gives?|drives?|helps?|calms?|annoys?|bothers?|stress(?:es)?|relax(?:es)?|"
    r"keeps?|causes?|upsets?|bores?|frightens?|terrif(?:y|ies)|fascinates?|exhausts?|hurts?|"
    r"motivates?|inspires?|triggers?|kills?|drains?|tires?"
)
"""Verbs of "loud noises scare me"."""
