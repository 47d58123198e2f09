"""Capitalised words that are no names, for the rule that finds names without a model."""

from __future__ import annotations

from memori_core.retrieval.stopwords import ENGLISH, FILLERS, PHATIC

CALENDAR = frozenset(
    """
january february march april may june july august september october november december jan feb mar
apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
mondays tuesdays wednesdays thursdays fridays saturdays sundays mon tue tues wed thu thur thurs
fri sat sun today tomorrow yesterday tonight
""".split()
)

TITLES = frozenset("mr mrs ms miss mx dr prof sir madam herr frau monsieur madame señor".split())

# Never part of a name, wherever they stand: exclamations, greetings, units, roles.
EXCLAMATIONS = frozenset(
    """
hey hi hello hiya howdy wow oh ah aw aww hmm haha lol yay ugh oops ooh whoa yeah yep nope ok okay
bye goodbye thanks thank congrats cheers please sorry gb mb tb kb ghz mhz khz kw kwh am pm usd eur
gbp user users user's assistant i i'm i've i'd i'll
""".split()
)

NAMES_TOO = frozenset(
    """
april art august autumn bill carol chance chase dawn drew earnest faith frank gene grace grant
guy hope iris ivy jack jasmine joy june lane lily mark may mercy miles olive pat pearl penny rich
rob rose ruby rusty sandy sky skip star storm summer sue violet wade will
""".split()
)
"""First names that are also words. Written small in a question they are taken for the word."""

# Open sentences of requests and of stories.
_OPENERS = frozenset(
    """
also although always another anyway because besides both but cannot could currently definitely
despite dear draft during earlier either every everybody everyone everything explain finally find
first fun give guess hence hopefully however instead including last lately later let let's list
many maybe meanwhile meeting mine moreover mostly much must my never next nobody none nothing
occasionally often one once only originally otherwise our overall perhaps personally probably
rather really recently remember remind right say second seems several shall should show since
sometimes somebody someone something somehow soon speaking still suddenly suppose sure take
talking tell thankfully therefore though three thus together totally true try two unfortunately
unless unlike usually very visiting wait want what's when whenever where's whether while who's
whose why within without would write yet ticket note todo update reminder question answer summary
attending buying calling cooking getting going having hearing helping knowing learning living
looking making moving playing reading running seeing spending starting taking thinking trying
using visiting watching working add ask avoid book bring buy call check choose clean compare cook
delete email fix follow forget format generate help hold include install keep leave move open
order organize pack pay pick plan post print provide put read remove rename replace reply run save
schedule search select send set start stop suggest summarize summarise text translate turn use
wait walk wash watch
""".split()
)

FOREIGN_OPENERS = frozenset(
    """
ich du er sie es wir ihr der die das den dem ein eine mein meine und wo wer wann warum wie je tu
il elle on nous vous ils elles le la les un une des mon ma et où qui quand pourquoi yo tú él ella
nosotros ellos el los las una unos mi mis y dónde quién cuándo qué cómo eu ele ela nós eles elas o
os as um uma meu minha e onde quem quando io lui lei noi loro lo gli ik jij hij zij wij het een
mijn en waar wie wanneer
""".split()
)
"""Pronouns and articles of other languages: alone no name, but "Los Angeles" is one."""

OPENERS = _OPENERS | ENGLISH | PHATIC | FILLERS
"""Words that do not begin a name at the beginning of a sentence."""

CONNECTORS = frozenset("of de da do das dos di del della der den van von bin ibn & the".split())
"""Lower-case words inside a name. Not "in" or "at": "Keziah in Ghent" is two names."""
