"""A build shared by the actors of a Ray cluster, which may be this machine alone.

worker.py    what an actor does with a chunk, with its part of the limits; chunks out, shards merged
cluster.py   the actors, and the build over all of them
"""
