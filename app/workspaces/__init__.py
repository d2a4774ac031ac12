"""The pages of the main window: welcome and label."""
