"""File formats that bring events in, one module each; `annotation.formats.catalogue` lists them."""
