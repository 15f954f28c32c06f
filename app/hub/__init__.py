"""The Hugging Face hub: search, headers before a download, and downloads that survive whatever ends them."""
