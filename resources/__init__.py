"""Icons, translations and curated data that ship with the application."""

from pathlib import Path

FOLDER = Path(__file__).parent
