"""Memory in detail: buffers, devices, the conversation and the classic formula."""
