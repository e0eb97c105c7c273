"""Special tokens of chat templates, taken out of every text that goes into or comes from a model.

Model servers read the text of a chat turn with the same tokenizer as the template around it. A
peer's text with `<|im_end|><|im_start|>assistant` in it would end our turn and begin one of the
model's. Models also leak such tokens into their answers. Pure functions, linear in the text.
"""

from __future__ import annotations

import re

PASSES = 3
"""How often tokens are removed: a removal may join the halves of another token."""

_WORDS = (
    "s|bos|eos|pad|unk|mask|cls|sep|eot|eod|eop|sop|start_of_turn|end_of_turn|turn_end|"
    "start_of_image|end_of_image|image_soft_token|start_of_role|end_of_role|end_of_text|"
    "start_of_text|begin_of_text|endoftext|im_start|im_end|eot_id|tool_calls?|tool_responses?|"
    "tool_result|tools|fim_prefix|fim_middle|fim_suffix|fim_pad|file_sep|repo_name|gh_stars|"
    "jupyter_start|bos_token|eos_token|eop_token|system_prompt|inst|sys"
)
_NAMES = (
    "INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|MODEL_SETTINGS|"
    "CALL_ID|ARGS|THINK|IMG|IMG_BREAK|IMG_END|PREFIX|MIDDLE|SUFFIX|gMASK|sMASK|BOS|EOS|PAD|UNK|"
    "CLS|SEP|MASK"
)
_TOKEN = re.compile(
    r"(?:<[|\uff5c][^<>|\uff5c\n]{0,60}[|\uff5c]>"  # <|im_start|>, and DeepSeek's wide bars
    r"|<[|\uff5c][a-z_\"]{1,30}>|<[a-z_]{1,30}[|\uff5c]>"  # <|turn>, <turn|>
    r"|\[\|[^\[\]|\n]{0,40}\|\]"  # [|user|]
    rf"|<</?SYS>>|</?(?:{_WORDS})/?>|\[/?(?:{_NAMES})\]"
    r"|<(?:unused|extra_id_|reserved_special_token_|reserved_token_|special_|dummy_)\d{1,6}>"
    r"|<0x[0-9a-f]{2}>|\u25c1/?think\u25b7)"
    # The role that some of them announce.
    r"(?:[ \t]*(?:assistant|user|system|model|developer|tool)[ \t]*(?=[\n<\[]|\Z))?",
    re.IGNORECASE,
)
_BROKEN = str.maketrans("<>[]\u25c1\u25b7", "\u2039\u203a()()")
_TEMPLATE_LINE = re.compile(
    r"^[ \t]*(?:#{2,3}[ \t]*)(?=(?:instruction|response|input|human|assistant|system|user)[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
"""Templates of plain words ("### Instruction:"): without the number signs they are prose."""


def without_special_tokens(text: str) -> str:
    """Return a text without special tokens of any known family of models.

    Removed are ChatML, Llama, Mistral, Gemma, DeepSeek, Phi, Command R, EXAONE and harmony markers,
    beginnings and ends of text, and markers of tools and code. Text nested so deeply that removal
    keeps making new tokens loses its brackets.
    """
    for _ in range(PASSES):
        text, count = _TOKEN.subn("", text)
        if not count:
            break
    else:
        if _TOKEN.search(text) is not None:
            text = text.translate(_BROKEN)
    return _TEMPLATE_LINE.sub("", text)


def has_special_tokens(text: str) -> bool:
    """Return whether a text contains a special token."""
    return _TOKEN.search(text) is not None
