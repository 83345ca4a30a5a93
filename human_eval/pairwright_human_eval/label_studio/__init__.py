"""Label Studio: its forms, task files and exports, its server, and a server of one's own.

All that knows this tool is in here; `annotation_tool` makes neutral records of its annotations.
The server needs the extra `[label-studio]`; without it everything works on exported files.
"""
