"""The engine on llama.cpp's low-level API; the only room that imports llama_cpp."""
