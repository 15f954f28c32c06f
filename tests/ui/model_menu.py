"""Hands for the selector's menu."""


def menu_of(desk) -> dict:
    desk.window.model_selector._fill()
    return {action.text(): action for action in desk.window.model_selector.menu().actions() if action.text()}


def loaded(desk) -> bool:
    return desk.parts.models.model is not None
