"""Views of one thing each: timeline, transport, labelling, browser."""
