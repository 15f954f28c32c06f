"""The conversation and the box below it.

transcript.py    what the window uses: items in, signals out; `entries` keeps the items, `stage` makes and places the
                 widgets in sight, `current` is where the keyboard is
message_view.py  one widget per item (`user_view`, `divider_view`); `item_view` and `foot` are common to all
body.py          an answer: `scanner` cuts the growing markdown into segments, each shown by `prose`, `code_block`,
                 `table` or `plain_text`; `document_writer` turns parsed markdown into blocks, never into HTML
text_browser.py  the only rich text widget, which opens no file and no link
composer.py      the box the user writes in (`editor`)
"""
