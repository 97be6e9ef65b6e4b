"""Words that may stand for each other in a text, and words of which one excludes the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.deeds import DEEDS
from pytest_toolsandbox.matchers.statements.stems import stem

_SAME: Final = """
leave depart go run
come arrive be show turn
arrive reach
close shut lock
open unlock
fit suit fine work okay ok perfect
buy purchase get pick collect fetch grab bring take
call ring phone
begin start
end finish
say show read write tell mean state know send text inform let contact hear
turn switch flip
somebody someone anybody anyone
everybody everyone
mother mom mum mama
father dad papa
grandmother grandma
grandfather grandpa
kid child
parcel package
trash garbage rubbish
home house place flat apartment
picture photo
entry contact record card person reminder note
last latest recent newest
current today
want like love wish hope
need require must
help assist
fix repair mend
big large huge
small little tiny
quick fast short
price cost fare fee
street st
road rd
avenue ave
doctor dr
sick ill unwell
look check see watch
speak talk chat
movie film
shop store market
flight plane
meeting appointment
ticket issue incident case problem
order purchase booking reservation
party celebration
dinner supper
admission entry entrance
find discover locate
bike bicycle
car auto
couch sofa
center centre middle
next coming following
entire whole full
near beside by close
prepare ready
mail post send
stay remain
mobile cell phone telephone
holiday vacation
job work
cancel off
off disabled inactive
down minus negative
tap faucet sink
access service feature function
elevator lift ride
garden yard
pants trousers
sweater jumper
taxi cab
gas petrol fuel
luggage baggage suitcase bag
medicine medication med pill tablet drug
lawyer attorney
coat jacket
gift present
cookie biscuit
television tv
computer laptop
presentation talk deck slides
report paper document file
bill invoice
exam test
class lesson course lecture
boss manager
coworker colleague
roommate flatmate
friend pal buddy
city town
ticket pass
queue line
autumn fall
bathroom toilet restroom
schedule timetable plan agenda
hospital clinic
stove oven cooker
fridge refrigerator
drink beverage
meal food
rug carpet
cup mug
hour time moment minute
guy man person
people persons folks everyone
address street place
position location coordinates
late delay
hold keep
rain rainy raining shower
sun sunny sunshine
snow snowy snowing
cloud cloudy overcast
"""
"""A line each for words that say the same in some texts."""

_SAME_IN_LETTERS: Final = """
come join attend
take bring pack
arrive reach receive get land deliver delivered come
need want
need take require
take order ordering want
course sure certain absolute definite fine
good nice great lovely enjoy
now changed new
away holiday vacation off trip
eat lunch
eat dinner
add enter put
lend borrow
sketch draw
more another
fine work good
help hand
"""
"""Lines for words that say the same beside the same people and things."""

_OPPOSITES: Final = """
begin start | end finish
open unlock | close shut lock
buy purchase | sell
find | lose lost
keep | return discard delete remove cancel
send | receive
add create | delete remove erase cancel
enable | disable
accept confirm | decline reject refuse
arrive come | leave depart
before | after
under | behind | over
early earlier | late later
up rise rose | down fall fell
high higher highest | low lower lowest
most | least fewest
more | less fewer
best | worst
first | last
cheap cheaper cheapest | expensive
big large | small
long longer longest | short shorter shortest
hot warm | cold
full | empty
left | right
north | south | east | west
red | blue | green | yellow | black | white | brown | gray
morning | afternoon | evening
mother mom mum | father dad | sister | brother | aunt | uncle | boss | cousin | grandma | grandpa
son | daughter
husband | wife
each apiece | total altogether
street st | avenue ave | road rd | lane | boulevard | square
dog | cat
bus | train | taxi | tram | plane | ferry
breakfast | lunch | dinner
sunny | rainy | snowy | cloudy
text message | call | email
"""
"""A line each for words of which one that stands where another is expected says another thing."""


Groups = frozenset[int]
"""The numbers of the groups in which a word stands."""


def _numbered(groups: Iterable[Iterable[str]]) -> Mapping[str, Groups]:
    """Return the stem of each word with the numbers of its groups."""
    found: dict[str, set[int]] = {}
    for number, words in enumerate(groups):
        for word in words:
            found.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


_SAME_IN: Final = _numbered(
    [*map(split, _SAME.strip().splitlines()), *([*one.done, *one.names] for one in DEEDS)]
)
_SIDES: Final = [
    split(side) for line in _OPPOSITES.strip().splitlines() for side in line.split("|")
]
_SIDE_OF: Final = _numbered(_SIDES)
_LINE_OF: Final = _numbered(
    split(line.replace("|", " ")) for line in _OPPOSITES.strip().splitlines()
)
_NOWHERE: Final[Groups] = frozenset()
_IN_LETTERS: Final = _numbered(map(split, f"{_SAME.strip()}{_SAME_IN_LETTERS}".splitlines()))


def groups_of(words: Iterable[str]) -> Groups:
    """Return the numbers of the groups in which any of these stems stands."""
    return frozenset().union(*(_SAME_IN.get(one, _NOWHERE) for one in words))


def are_alike(one: str, other: str) -> bool:
    """Whether two stems may say the same."""
    return one == other or bool(_SAME_IN.get(one, _NOWHERE) & _SAME_IN.get(other, _NOWHERE))


def may_stand_for(one: str, other: str) -> bool:
    """Whether two stems may say the same in letters of one matter; what was done is no excuse."""
    return one == other or bool(_IN_LETTERS.get(one, _NOWHERE) & _IN_LETTERS.get(other, _NOWHERE))


def are_opposed(one: str, other: str) -> bool:
    """Whether one of two stems excludes the other."""
    is_same = _SIDE_OF.get(one, _NOWHERE) & _SIDE_OF.get(other, _NOWHERE)
    return not is_same and bool(_LINE_OF.get(one, _NOWHERE) & _LINE_OF.get(other, _NOWHERE))
