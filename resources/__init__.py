"""Data that ships with Floorscope: schemes, themes, schemas, icons and the demo conversation."""
