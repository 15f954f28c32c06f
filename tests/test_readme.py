"""What the README repeats is what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import app.telemetry.timings
from app.setup import __main__ as setup_command
from app.setup import system

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_definitions_are_word_for_word_those_of_the_code():
    lines = re.findall(r"^    .*\S", app.telemetry.timings.__doc__, re.MULTILINE)
    assert len(lines) > 5
    assert [line for line in lines if line not in README] == []


def test_system_packages_are_all_named():
    packages = (*system.COMPILER, *system.LIBRARIES, *system.FONTS, *system.TEST_TOOLS)
    block = README[README.index("apt-get install") : README.index("**`.venv`**")].split()
    assert [package.name for package in packages if package.name not in block] == []


@pytest.mark.parametrize("command", re.findall(r"python3 -m app\.setup\b([^#\n`]*)", README))
def test_set_up_commands_are_understood(command):
    setup_command.parse(command.split())


@pytest.mark.parametrize("path", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()
