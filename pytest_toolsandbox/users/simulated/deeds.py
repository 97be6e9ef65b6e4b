"""What agents do on a phone, in patterns: a user who says that it does so is out of its role."""

from __future__ import annotations

from typing import Final

DO: Final = (
    r"(?:send|set|add|create|delete|remove|update|change|turn|switch|search|find|check|look|text|message"
    r"|draft|write|move|rename|convert|calculate|remind|schedule|book|order|call|pull|take|do)"
)
SERVE: Final = r"(?:send|set|adjust|schedule|create|rename|update|delete|turn|add|change|look up)"
BEGINS: Final = r"(?:^|[.!?;,\n-] ?|\b(?:and|so|ok|okay|but|now|yes|no|then|next) )"
SERVE_ANY: Final = (
    r"(?:text|message|send|notify|look (?:\w+ )?up|convert|calculate|(?:re)?schedule|delete|rename"
    r"|set (?:up|a|an|the)|turn o(?:n|ff)|find (?:the|your)|take care)"
)
I_WILL: Final = (
    rf"{BEGINS}i(?:'ll| will| can| could|(?:'m| am) going to) (?:now |also |then |just )?"
)
THAT: Final = r"(?:it|that|this|them|your)"
OF_THE_PHONE: Final = (
    r"(?:messages?|texts?|reminders?|contacts?|alarms?|numbers?|forecast|weather|wi-?fi|cellular"
    r"|services?|settings?|calendar|inbox|phone|search|request|changes?)"
)
HAPPENS: Final = (
    r"(?:lost|had|thought|forgot|got|saw|read|heard|wanted|said|told|meant|asked|needed|remembered"
    r"|need|agreed|knew|mentioned|gave|hoped|missed|received|noticed|liked|expected|used"
    r"|called|changed|lived|wrote|spelled|misspelled|promised|tried|turned|bought)"
)
"""What people did who did nothing, or nothing with this phone."""
DID: Final = rf"(?!{HAPPENS}\b)(?:\w+ed|sent|set|found|made|put|took|went|ran|did|sought)\b"
PLACE: Final = (
    r"(?:contacts?|contact list|address book|phone|reminders?|messages|inbox|calendar|settings"
    r"|list)"
)
DONE: Final = (
    r"(?:sent|set|added|created|deleted|removed|updated|changed|turned|enabled|disabled|saved"
    r"|scheduled|rescheduled|moved|renamed|corrected|converted|calculated"
    r"|texted|messaged|notified|informed|activated|cancelled|delivered)"
)
CLOSED_BY: Final = (
    r"(?:\w+ly )?(?:told|done|handled|arranged|taken care of|sent|set|deleted|removed|informed"
    r"|notified)"
)
THING: Final = (
    r"(?:message|text|reminder|contact|alarm|wi-?fi|cellular\w*|(?:\w+ )?service\w*|setting)s?"
)
