"""A build shared by workers: processes of this machine, or actors of a Ray cluster.

shared_build.py   the build over all workers: chunks out, shards merged, files written
worker.py         what a worker does with a chunk within its limits, and a worker process
pool.py           the processes, and the chunks they get
cluster.py        actors of a Ray cluster
"""
