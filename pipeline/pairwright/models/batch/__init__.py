"""Calls by files: for the OpenAI Batch API, `vllm run-batch`, and machines without network.

    RUN/batch.sqlite            what the run asked and has no reply to, and what failed
    OUT/round-N/001.jsonl ...   the requests of a round, as batch lines
    OUT/round-N/index.json      what is in each of these files

A build records what it would send (`Recorder`), `write_round` writes it, and `ingest` puts the
replies into the run's store. A reply says only its key: all else is read from the run folder.

pending.py   the calls that wait, and `Recorder`, which writes them down
rounds.py    a round's files, and what of them was handed in
ingest.py    files of replies, put into the store
service.py   a round at a Batch API
"""
