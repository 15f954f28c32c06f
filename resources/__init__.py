"""Icons, translations and curated data that ship with the application."""
