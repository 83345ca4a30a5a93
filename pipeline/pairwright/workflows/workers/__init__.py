"""A build shared by workers: processes of this machine, or actors of a Ray cluster.

shared_build.py   the build over all workers: chunks out, shards merged, files written
chunk_builder.py  what a worker does with a chunk, and what it reports
limits.py         the limits of a run, divided among its workers
process.py        a worker process
pool.py           the processes, and the chunks they get
cluster.py        actors of a Ray cluster
"""
