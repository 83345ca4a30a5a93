"""Label Studio: its forms, task files and exports, its server, and a server of one's own.

Its schema is in here alone. `annotation_tool` makes neutral records of its annotations, and
`annotation_exports` keeps its files; both call this room.
The server needs the extra `[label-studio]`; without it everything works on exported files.
"""
