"""Calls by files: for the OpenAI Batch API, `vllm run-batch`, and machines without network."""
