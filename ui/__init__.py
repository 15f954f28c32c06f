"""The Qt window: thin views over app's values, no arithmetic on measurements, no SQL, no llama_cpp."""

from ui.guard import check

check()
