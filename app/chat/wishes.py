"""What a user asks to be remembered, as it was said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARACTERS = 200
"""A longer wish is a passage; the summary has to do with its sense."""

_LEAST_CHARACTERS = 4
_LEAST_CJK_CHARACTERS = 2
_LOOK_BACK_CHARACTERS = 24

_VERB = re.compile(
    r"\b(?:remember|keep\sin\smind|bear\sin\smind|don['’]t\sforget|do\snot\sforget|never\sforget|note\sthat|for\sthe\srecord|"
    r"merke?\sdir|vergiss\snicht|denke?\sdaran|beachte|souviens[-\s]toi|rappelle[-\s]toi|n['’]oublie\spas|retiens|"
    r"souvenez[-\s]vous|n['’]oubliez\spas|recuerda|recuerde|ten\sen\scuenta|no\solvides?|lembre[-\s]se|não\sesqueça|"
    r"ricorda(?:ti)?|non\sdimenticare|запомни(?:те)?|не\sзабудь(?:те)?|помни(?:те)?)\b(?!\s(?:when|how\swe|the\stime)\b)"
    r"|(?P<han>[请請]?(?:务必|一定要?|你要)?(?:记住|記住|记得|記得|牢记|别忘|別忘|不要忘))"
    r"|(?P<last>(?:覚えて(?:おいて|いて|て)?|忘れないで)(?:ください|ね|くれ)?|(?:기억해|잊지\s?마)\s?(?:줘|주세요|두세요|세요|라)?)",
    re.IGNORECASE,
)
# An imperative stands at the beginning, or after what may stand before one. "I remember" asks for nothing.
_BEFORE_IMPERATIVE = re.compile(
    r"(?:^|[.!?:;,(\n*•>\u2014-]|\b(?:and|but|also|so|then|just|always|should|must|you\sto|und|et|y|e|и))\s*"
    r"((?:(?:please|bitte|por\sfavor|s['’]il\s(?:te|vous)\spla[iî]t|always)[\s,]{1,3}){0,2})$",
    re.IGNORECASE,
)
# A full stop ends a sentence only before white space, and neither after a title nor within a date.
_SENTENCE_END = re.compile(
    r"[!?\n。！？]|(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bNo)\.(?=\s(?!\d|[a-zäöü])|$)"
)
_CLAUSE_BEGINS = re.compile(r".*[.!?\n。！？]", re.DOTALL)


def find_wishes(text: str) -> Iterator[str]:
    """Yield the sentences, or what of them follows the asking, in which something is asked to be remembered."""
    taken = 0
    for verb in _VERB.finditer(text):
        if verb.start() < taken:
            continue
        if verb["last"]:  # where the verb stands last, what is to be kept stands before it
            before = text[max(taken, verb.start() - MAX_CHARACTERS) : verb.start()]
            begin = verb.start() - len(_CLAUSE_BEGINS.sub("", before, count=1))
            end = verb.end()
        else:
            found = _SENTENCE_END.search(text, verb.end(), verb.end() + MAX_CHARACTERS)
            end = found.start() if found else min(len(text), verb.end() + MAX_CHARACTERS)
            begin = verb.start()
            if not verb["han"]:
                asked = _BEFORE_IMPERATIVE.search(text[max(taken, begin - _LOOK_BACK_CHARACTERS) : begin])
                if asked is not None:
                    begin -= len(asked[1])
                elif not verb[0][0].isupper() or text[begin - 2 : begin] == "I ":
                    continue
        said = len(text[begin:end].replace(verb[0], "").strip())
        taken = end
        least = _LEAST_CJK_CHARACTERS if verb["han"] or verb["last"] else _LEAST_CHARACTERS
        if said >= least and end - begin <= MAX_CHARACTERS:
            yield text[begin:end]


def is_wish(text: str) -> bool:
    """Tell whether a detail that an earlier summary carries was asked to be remembered."""
    return next(iter(find_wishes(text)), "").strip(" ,;:.") == text.strip(" ,;:.")
