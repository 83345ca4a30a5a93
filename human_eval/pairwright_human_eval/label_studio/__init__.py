"""Label Studio: its forms, task files and exports, its server, and a server of one's own.

All that knows this tool is in here. `annotation_tool` passes on what the rest needs of its files.
The server needs the extra `[label-studio]`; without it everything works on exported files.
"""
