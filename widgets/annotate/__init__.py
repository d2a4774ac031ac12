"""Blind presentations: one clip, one question, one answer."""
