"""Words of English that the rules need to know. Data only."""

from __future__ import annotations

BASE_VERBS = frozenset(
    """
abandon absorb accept accompany accomplish achieve acquire act adapt add adjust admire admit adopt
adore advise advocate affect afford agree aim allow analyse analyze annoy answer appear apply
appreciate argue arrange arrive ask aspire assemble assist associate assume attend attract avoid
babysit back bake balance bargain bathe battle be bear beat become beg begin behave believe belong
bench bet bike bind blame bleed blend blog board boil book borrow bother bounce box brag break
breathe breed brew bring browse brush budget build bully burn buy calculate call calm camp cancel
care carry carve catch celebrate challenge change charge chase chat cheat check cherish chew choose
clean clear climb close coach code collaborate collect combine come comfort commit communicate
commute compare compete complain complete compose concentrate confess connect consider consist
consult consume contact contain continue contribute control convert convince cook cope copy
correct cost cough count cover craft crave create criticise criticize crochet cross cry cultivate
cure cut cycle dance date deal debate decide declare decline decorate dedicate defend define delay
delete deliver demand deny depend deploy describe deserve design desire destroy detest develop
devote die differ dig dine direct disagree disappear discover discuss dislike distribute dive
divide do donate doubt download draft draw dread dream dress drink drive drop dry dye earn eat edit
educate embrace embroider emigrate employ enable encounter encourage end engage engineer enjoy
enrol enroll enter entertain envy escape establish estimate evaluate examine exchange exercise
exist expand expect experience experiment explain explore export express face facilitate fail fall
fancy farm fast favor favour fear feed feel fence fight figure file fill film find finish fish fit
fix flee fly focus fold follow forage force forget forgive form foster found freelance freeze
frequent fund gain game garden gather get give go golf grab graduate greet grieve grill grind grow
guard guess guide handle hang happen harvest hate have head heal hear heat help hesitate hide hike
hire hit hold homeschool honor honour hope host hug hunt hurry hurt ice identify ignore illustrate
imagine immigrate implement import improve include increase indulge influence inherit injure
insist inspire install instruct intend interact interview introduce invent invest investigate
invite iron jog join joke journal judge juggle jump keep kick kill kiss kneel knit know lack land
laugh launch lay lead lean learn lease leave lecture lend let lie lift like limit list listen live
loathe lock log look loop lose love lower maintain major make manage manufacture march mark marry
massage master match matter mean measure meditate meet mend mentor mention mess mind miss mix model
modify monitor mop motivate mount mourn move mow multiply murder name nap need neglect negotiate
network nominate notice nurse nurture obey object observe obtain occupy offer open operate oppose
order organise organize originate overcome overeat oversee oversleep overthink owe own pack paint
parent park participate partner party pass pause pay perform photograph pick pickle pilot pitch
plan plant play please point polish pole possess post postpone pour practice practise praise pray
preach prefer prepare present preserve press pretend prevent print prioritise prioritize process
procrastinate produce program promise promote propose protect protest prove provide publish pull
punish purchase pursue push put quilt race raise ran rank rate reach react read realise realize
rebuild receive recharge recognise recognize recommend record recover recycle reduce refer reflect
refuse regard register regret rehearse relate relax release relocate rely remain remember remind
remodel remove renovate rent repair repeat replace reply report represent request require rescue
research resell resent reside resist respect respond rest restore result retire return reuse
reveal review revise reward ride ring rise risk roast rock roll row rule run rush sail satisfy save
saw say schedule score scream sculpt search season see seek seem select sell send serve set settle
sew shake share shave shelter shift shine shoot shop shout show shower shut sign sing sip sit skate
sketch ski skip sleep slip smell smile smoke sneeze snore snowboard socialise socialize solve sort
sound speak specialise specialize spend spin split sponsor spot spread spy squat stand stare start
starve stay steal stick stock stop store stream strength strengthen stress stretch strike strive
struggle study stutter submit subscribe succeed suffer suggest supervise supply support suppose
surf surround survive suspect swap swear sweat sweep swim swing switch tackle take talk taste tax
teach tear tell tend test text thank think thrive throw tidy tie tire tolerate touch tour track
trade train transfer transform translate travel treasure treat trek trust try turn tutor twist type
understand undergo update upgrade upload urge use vacation value vape view visit visualise
visualize volunteer vote wait wake walk wander want warm wash waste watch water wear weave wed
weigh welcome whip whisper win wish witness wonder work workout worry worship wrap wrestle write
yell yoga zone
""".split()
)
"""Base forms. What is not here is no verb to us, and its clause is no fact."""

NOT_BASE = frozenset("ran saw found ice pole box yoga murder".split())

IRREGULAR_PAST = frozenset(
    """
ate beat became began bent bit bled blew bought bound bred broke brought built burnt burst came
caught chose clung cost crept cut dealt did dove drank drew drove dreamt dug fed fell felt fled
flew forgave forgot fought found froze gave got grew had heard held hid hit hung hurt kept knew
laid learnt led left lent let lit lost made meant met misread misspelt mistook mowed overcame
overslept paid put quit ran rang read rebuilt redid rode rose said sang sank sat saw sent set shook
shot showed shut slept slid snuck sold sought spent spilt split spoke spread sprang stole stood
stuck struck swam swept swore taught thought threw told took tore undertook understood underwent
went wept withdrew woke won wore wove wound wrote
""".split()
)

PAST_IS_BASE = frozenset(
    "beat bet burst cost cut hit hurt let put quit read set shut split spread".split()
)
"""Verbs whose past looks like their base."""

PARTICIPLES = frozenset(
    """
been become begun bitten blown born bought broken brought built caught chosen come cut dealt done
drawn driven drunk eaten fallen fed felt forgotten fought found frozen given gone got gotten grown
had heard held hidden hit hurt kept known laid learnt led left lent lost made meant met moved paid
put quit read ridden risen run said sat seen sent set shown sold spent spoken stolen stood stuck
sung swum taken taught thought told torn understood woken won worn written
""".split()
)

ED_BASE = frozenset(
    "bleed breed embed exceed feed need proceed shed shred speed succeed wed".split()
)
"""Base forms that end like a past."""

AUXILIARIES = frozenset(
    """
am is are was were be been have has had do does did can could will would shall should may might
must cannot ought isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't can't
couldn't won't wouldn't shan't shouldn't mightn't mustn't needn't ain't
""".split()
)

AGREE = {
    "am": "is",
    "are": "is",
    "were": "was",
    "have": "has",
    "do": "does",
    "aren't": "isn't",
    "ain't": "isn't",
    "weren't": "wasn't",
    "haven't": "hasn't",
    "don't": "doesn't",
}
"""Forms after "I" and "we", and what they are after a name."""

CONTRACTED = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "cant": "can't",
    "couldnt": "couldn't",
    "wont": "won't",
    "wouldnt": "wouldn't",
    "shouldnt": "shouldn't",
    "isnt": "isn't",
    "arent": "aren't",
    "wasnt": "wasn't",
    "werent": "weren't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "hadnt": "hadn't",
    "whats": "what's",
    "hes": "he's",
    "shes": "she's",
    "theyre": "they're",
    "youre": "you're",
    "thats": "that's",
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "have to",
    "u": "you",
    "ur": "your",
    "pls": "please",
    "plz": "please",
    "i": "I",
}
"""Spellings of chat, and the words that the rules know."""

ADVERBS = frozenset(
    """
absolutely actually almost already also always apparently barely basically both certainly clearly
currently deeply definitely either eventually even ever exclusively finally first frankly
frequently fully generally genuinely gladly gradually hardly honestly however initially instead
just kinda lately later literally mainly maybe merely mostly naturally nearly never normally now
obviously occasionally officially often once only ordinarily originally particularly perhaps
personally possibly practically predominantly presently previously primarily probably quickly quite
rarely really recently regularly religiously sadly secretly seldom seriously simply slowly
sometimes somewhat soon specifically still strictly strongly suddenly surely then today too
totally truly typically longer no
unfortunately usually utterly very virtually weekly daily nowadays not
""".split()
)

NOUN_TOO = frozenset(
    """
act answer back balance battle bet bike board book bother box break budget burn camp care chat
check cook cost cover craft cross cry cycle dance date deal debate dress drink drive drop exercise
face fail fall farm fast fear feed film find fish fit focus form fund game garden golf guard guess
guide handle hate head heat help hike hit hold hope host hunt influence interview iron joke journal
judge jump kick kiss lack land laugh lead lease lecture limit list log look love march mark massage
master match matter measure milk mind mix model mount murder name nap need network nurse object
offer order pack paint parent park partner party pass pause pick pilot plan plant play point polish
post practice press process program promise push race rate record regret rent repair report request
research respect rest result return review reward ride ring rise risk rock roll row rule run rush
sail saw score scream search season shake share shelter shift shoot shop show shower sign skate
sketch ski sleep smell smile smoke sound spin sport spot spread stand start stay stick stock stop
store stream stress stretch strike struggle study supply support surf swap sweat swim swing switch
talk taste tax test text tie touch tour track trade train transfer travel treat trek trust try turn
twist type update upgrade use vacation value view visit volunteer vote wait walk wash waste watch
water welcome wish witness wonder work workout worry yoga like water type present program fancy
""".split()
)
"""Verbs that are nouns as well: after "and" they need a word that shows the verb."""

AFTER_VERB = frozenset(
    """
a an the my our their his her this that these those at in on for from to with as about into up out
off over every each two three four five six some no any mostly mainly it them him me us together
part-time full-time remotely there here by around near like it
""".split()
)

RELATIVES = frozenset(
    """
mom mum mother mommy mummy mama dad father daddy papa parents parent grandma grandmother granny nan
grandpa grandfather granddad grandad grandparents sister brother sisters brothers sibling siblings
twin twins wife husband partner spouse fiance fiancée fiancee fiancé gf bf girlfriend boyfriend ex
ex-wife ex-husband eldest oldest youngest son daughter sons daughters kid kids child children baby
toddler niece nephew aunt uncle cousin cousins stepson stepdaughter stepmom stepmum stepdad
stepmother stepfather godmother godfather godson goddaughter grandson granddaughter grandkids
grandchildren mother-in-law father-in-law sister-in-law brother-in-law in-laws son-in-law
daughter-in-law friend friends bestie mate buddy boss manager colleague colleagues coworker
coworkers co-worker teammate assistant mentor coach trainer therapist doctor dentist gp landlord
landlady flatmate flatmates roommate roommates housemate neighbour neighbours neighbor neighbors
teacher professor supervisor tutor nanny family team old
""".split()
)

ANIMALS = frozenset(
    """
dog dogs cat cats puppy puppies kitten kittens hamster rabbit rabbits bunny parrot budgie canary
goldfish fish tortoise turtle snake lizard gecko iguana ferret guinea-pig horse pony chicken
chickens goat goats greyhound labrador lab poodle beagle husky corgi dachshund terrier retriever
shepherd pug bulldog collie spaniel chihuahua rottweiler dalmatian mastiff whippet siamese bengal
ragdoll tabby cockatiel pet pets chinchilla hedgehog rat rats mouse axolotl
""".split()
)

FEMALE = frozenset(
    """
mom mum mother mommy mummy mama grandma grandmother granny nan sister wife fiancée fiancee gf
girlfriend daughter niece aunt stepmom stepmum stepmother stepdaughter godmother goddaughter
granddaughter mother-in-law sister-in-law daughter-in-law ex-wife landlady
""".split()
)
MALE = frozenset(
    """
dad father daddy papa grandpa grandfather granddad grandad brother husband bf boyfriend son nephew
uncle stepdad stepfather stepson godfather godson grandson father-in-law brother-in-law son-in-law
ex-husband
""".split()
)
PLURAL = frozenset(
    """
parents grandparents sisters brothers siblings twins sons daughters kids children cousins grandkids
grandchildren in-laws friends colleagues coworkers flatmates roommates neighbours neighbors people
""".split()
)

NOT_NAMES = frozenset(
    """
american british english french german italian spanish portuguese dutch polish russian chinese
japanese korean indian irish scottish welsh greek turkish swedish norwegian danish finnish swiss
austrian belgian canadian australian mexican brazilian argentinian chilean colombian nigerian kenyan
egyptian moroccan iranian iraqi israeli palestinian pakistani bangladeshi vietnamese thai filipino
indonesian malaysian ukrainian czech slovak hungarian romanian bulgarian croatian serbian slovenian
european asian african latino latina hispanic black white catholic protestant christian muslim
jewish hindu buddhist atheist vegan vegetarian pescatarian keto gay straight lesbian bi trans queer
male female single married divorced fine ok okay good great well back here home ready done sorry
sure new old late busy tired hungry sick ill happy sad glad lost stuck free bored curious confused
not so very just still also really always never currently now both a an the in on at from trying
looking working thinking going using getting having doing making planning writing reading learning
allergic pregnant diabetic celiac coeliac autistic deaf blind disabled retired unemployed
self-employed left-handed right-handed introverted extroverted interested excited scared afraid
aware based born certain concerned convinced down dying engaged familiar fluent full good-looking
grateful keen kind lactose located lucky nervous nobody obsessed off older out over overweight
proud python javascript senior junior short tall thankful thirsty tiny tired under up used
wondering worried wrong younger your yours about after all almost already asking as like unable
able starving stressed exhausted freezing monday tuesday wednesday thursday friday saturday sunday
""".split()
)
"""Words after "I'm" that are no names, even with a capital."""

OCCUPATIONS = frozenset(
    """
accountant actor actress actuary administrator advisor analyst anthropologist archaeologist
architect archivist artist assistant astronomer attorney auditor author baker banker barber
barista bartender beekeeper biologist blogger bookkeeper bricklayer broker builder butcher
carpenter cashier chef chemist chiropractor cleaner clerk coach comedian composer conductor
consultant cook copywriter counsellor counselor courier curator dancer decorator dentist
dermatologist
designer developer dietitian director doctor doula draughtsman driver ecologist economist editor
electrician engineer entrepreneur esthetician farmer filmmaker firefighter fisherman florist
founder freelancer gardener geologist goldsmith guide hairdresser handyman historian illustrator
instructor interpreter janitor jeweller joiner journalist judge lawyer lecturer librarian
linguist locksmith machinist manager marketer mathematician mechanic meteorologist midwife miner
model musician nanny neurologist notary novelist nurse nutritionist optician optometrist
paediatrician pediatrician painter paralegal paramedic pastor pharmacist photographer physician
physicist physiotherapist pianist pilot plasterer plumber poet policeman potter priest principal
producer professor programmer psychiatrist psychologist publisher radiographer radiologist
realtor receptionist recruiter reporter researcher salesman salesperson scientist sculptor
secretary seamstress singer soldier solicitor statistician stylist surgeon surveyor tailor teacher
technician therapist tiler translator tutor veterinarian vet videographer violinist waiter waitress
welder writer zoologist sre cto ceo cfo dev
student undergraduate postgraduate postdoc phd intern apprentice trainee
""".split()
)

LANGUAGES = frozenset(
    """
english french german italian spanish portuguese dutch polish russian chinese mandarin cantonese
japanese korean hindi urdu bengali tamil telugu arabic hebrew turkish farsi persian swedish
norwegian danish finnish icelandic greek latin czech slovak hungarian romanian bulgarian croatian
serbian slovenian ukrainian vietnamese thai tagalog indonesian malay swahili yoruba igbo hausa zulu
afrikaans catalan basque galician welsh irish gaelic esperanto punjabi gujarati marathi nepali
""".split()
)

FOODS = frozenset(
    """
gluten dairy lactose milk cheese butter cream eggs egg nuts nut peanut peanuts almonds cashews
walnuts hazelnuts pistachios wheat soy soya sesame shellfish shrimp shrimps prawns crab lobster
fish seafood salmon tuna meat pork beef chicken lamb bacon ham sugar salt alcohol wine beer coffee
caffeine grapefruit citrus oranges strawberries kiwi bananas tomatoes onions garlic mushrooms
avocado chocolate honey bread pasta yeast spicy fodmap aspirin ibuprofen penicillin paracetamol
mustard celery lupin anything
""".split()
)
