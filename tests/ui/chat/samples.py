"""Markdown that models write, for tests of the transcript."""

from __future__ import annotations

ANSWER = """Because the **prompt's beginning** is still in the KV cache, only the *new* tokens are read.

## What happens

1. The template renders the conversation.
2. The engine compares it:
   - the common prefix is **kept**
   - the rest is removed
     - even nested
3. Only the difference is decoded.

> A quote, the cache is reserved.
> It goes on here.
>
> > and a nested one

```python
def tpot(turn):
    return 1 / turn.rate  # seconds
```

| Quantisation | Size | TPOT |
|:-------------|-----:|:----:|
| Q4_1 | 98 MiB | 11.9 ms |
| Q8_0 | 144 MiB | 14.0 ms |

---

中文段落：第二个回答更快。直骨门 😀👩‍👩‍👧 🇩🇪

مرحبا بالعالم، هذا نص عربي.

1. Install it:
   ```bash
   pip install tokometer
   ```

   Then go on.
2. Run it, see https://example.org/a_(b).

A paragraph
# hashtag
#no heading, and `code` with ~~struck~~ words
- an item
- [ ] a task

Title
=====

    indented code
"""

TRICKY = [
    "",
    "\n\n",
    "#",
    "para\n#\n",
    "para\n#tag",
    "para\n-",
    "para\n- a",
    "para\n1.",
    "para\n1. x",
    "a\n\n-",
    "```",
    "``",
    "```python",
    "```\ncode",
    "```\ncode\n``",
    "~~~\ncode\n~~~\nafter",
    "````\n```\ninner\n```\n````\n",
    "text\n```js\nx\n```\ntext",
    "``inline`` at the beginning",
    "~~struck~~ at the beginning",
    "| a | b |",
    "| a | b |\n|---|",
    "| a | b |\n|---|---|",
    "| a | b |\n|---|---|\n| 1 | 2 |\nno row",
    "| a | b |\nno table after all",
    "|x| is the absolute value",
    "a | b\n--|--\n1 | 2\n",
    "> ```\n> code\n> ```\n",
    "- a\n\n  b\n\n- c\n",
    "1. a\n2. b\n\n5. c\n",
    "- \n-\n- x",
    "* a\n  * b\n    * c\n      1. d\n",
    "[ref]\n\nword\n\nword\n\n[ref]: https://example.org\n",
    "***\n___\n",
    "\\*not\\* &amp; &lt;b&gt; <b>bold?</b>",
    "a  \nb\\\nc",
    "\r\nwindows\r\nlines\r\n",
    "x\x00y\ufdd0z\ufdd1\u2029w\ufffc",
    "![alt](https://example.org/a.png) ![local](/etc/passwd)",
    "1) one\n2) two\n",
    "> 1. a\n>    - b\n>\n>      c\n",
    "- a\n  ```\n  x\n  ```\n  b\n- c\n",
]
