"""The catalogues: complete, up to date with the sources, compiled, and true to what they translate."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest
from PySide6.QtCore import QTranslator

from tests.catalogues import CHINESE, FOLDER, ROOT, entries

UPDATE = [
    "-extensions",
    "py",
    "app",
    "ui",
    "-tr-function-alias",
    "QT_TR_NOOP+=Sentence",
    "-locations",
    "none",
    "-no-obsolete",
    "-silent",
]
PLACEHOLDERS = re.compile(r"\{[^}]*\}|%L?n|<[^>]+>|\n|\*\.\w+|;;")
SENTENCE = "text.template"  # of a Sentence, whose literal is in app/
ACCELERATOR = re.compile(r"&(\w)")

every_catalogue = pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ts")), ids=lambda path: path.stem)


@every_catalogue
def test_nothing_is_unfinished(path):
    found = entries(path)
    assert [entry.key for entry in found if entry.state != "finished" or not all(entry.forms)] == []
    assert found


@every_catalogue
def test_the_catalogue_is_up_to_date(path, tmp_path):
    """When this fails: the commands are in the README, under Development."""
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    tool = "from PySide6.scripts.pyside_tool import lupdate; lupdate()"
    subprocess.run([sys.executable, "-c", tool, *UPDATE, "-ts", str(copy)], cwd=ROOT, check=True)
    assert {entry.key for entry in entries(copy)} == {entry.key for entry in entries(path)}


@every_catalogue
def test_the_compiled_catalogue_says_the_same(path):
    translator = QTranslator()
    assert translator.load(str(path.with_suffix(".qm")))
    for entry in entries(path):
        count = 1 if "%n" in entry.source else -1
        assert translator.translate(*entry.key, count) == entry.forms[0]
        assert translator.translate(*entry.key, 2 * count) == entry.forms[-1]


@every_catalogue
def test_the_catalogue_names_no_place(path):
    text = path.read_text(encoding="utf-8")
    assert "<location" not in text
    assert "\\" not in text


@every_catalogue
def test_placeholders_are_those_of_the_source(path):
    for entry in entries(path):
        for form in entry.forms:
            assert sorted(PLACEHOLDERS.findall(form)) == sorted(PLACEHOLDERS.findall(entry.source)), entry.source
            assert ACCELERATOR.findall(form) == [letter.upper() for letter in ACCELERATOR.findall(entry.source)]


def translated_calls() -> list[tuple[str, str, ast.Call]]:
    """Return every call that translates: where, its context and itself."""
    found = []

    def visit(node: ast.AST, context: str) -> None:
        for child in ast.iter_child_nodes(node):
            visit(child, child.name if isinstance(child, ast.ClassDef) else context)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            place = f"{path.relative_to(ROOT)}:{node.lineno}"
            if node.func.attr == "tr":
                assert ast.unparse(node.func.value) == "self", f"{place}: lupdate takes the receiver for the context"
                found.append((place, context, node))
            elif (
                ast.unparse(node.func) == "QCoreApplication.translate" and ast.unparse(node.args[1]) != "text.template"
            ):
                assert isinstance(node.args[0], ast.Constant), place
                found.append((place, node.args[0].value, ast.Call(node.func, node.args[1:], [])))

        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "Sentence"
            and ast.unparse(node.args[0]) != "template"
        ):
            found.append((f"{path.relative_to(ROOT)}:{node.lineno}", "", node))

    for path in sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]):
        visit(ast.parse(path.read_text(encoding="utf-8")), "")
    return found


def test_every_call_that_translates_was_understood():
    """A text made at run time is no text for lupdate, and it does not say so."""
    keys = {(entry.context, entry.source) for entry in CHINESE}
    for place, context, call in translated_calls():
        text = call.args[0]
        assert isinstance(text, ast.Constant), f"{place}: not a literal"
        assert (context, text.value) in keys, place


def texts_of_the_terminal() -> list[tuple[str, str]]:
    """Return every text in `app/cli` that is not a docstring: where, and itself."""
    found = []
    for path in sorted((ROOT / "app" / "cli").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            (f"{path.relative_to(ROOT)}:{node.lineno}", node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings
        ]
    return found


def test_what_is_to_be_typed_stands_between_quotation_marks():
    """One rule for all texts: a label of the window shows backticks as they are."""
    texts = [(place, call.args[0].value) for place, _, call in translated_calls()] + texts_of_the_terminal()
    assert len(texts) > 1000
    assert [place for place, text in texts if "`" in text] == []
