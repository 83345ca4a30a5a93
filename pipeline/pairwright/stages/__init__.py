"""What is asked of models: one file a stage, each a plain async function on records."""
