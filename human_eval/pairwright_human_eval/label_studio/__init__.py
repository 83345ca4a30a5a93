"""Label Studio: its forms, task files and exports, its server, and a server of one's own.

Its schema is in here alone; `raw_files` reads its annotations through this room.
The server needs the extra `[label-studio]`; without it everything works on exported files.
"""
