"""The five languages: how a goal is asked for in each, and how a plan in it is written.

They are not translations of each other: each has its own subjects, order and turns of phrase.
"""

from benchmarks.quality.wording.bn import WORDING as _BENGALI
from benchmarks.quality.wording.en import WORDING as _ENGLISH
from benchmarks.quality.wording.hi import WORDING as _HINDI
from benchmarks.quality.wording.ms import WORDING as _MALAY
from benchmarks.quality.wording.record import Wording
from benchmarks.quality.wording.ur import WORDING as _URDU

WORDINGS: dict[str, Wording] = {
    wording.code: wording for wording in (_ENGLISH, _MALAY, _HINDI, _URDU, _BENGALI)
}
"""Every language, by its code, in the order in which seeds take them."""
