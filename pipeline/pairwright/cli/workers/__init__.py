"""A build shared by workers: processes of this machine, or actors of a Ray cluster.

builder.py    what a worker does with a chunk of units: the build functions, and a shard
report.py     what it tells of it
limits.py     the limits of an endpoint, divided
allowance.py  a budget that processes share
process.py    a worker process
pool.py       the processes, and the chunks they get
spread.py     the build over all workers: chunks out, shards merged, files written
"""
