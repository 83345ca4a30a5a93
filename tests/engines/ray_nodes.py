"""A Ray cluster of several nodes on loopback: ray_nodes.py NODES FOLDER.

A node is a raylet with its own workers, and one CPU; the head has none. Prints one line of JSON,
`address` and `raylets` (process ids in the order of their start, the head's first), and ends with
its standard input. Run by the engines' environment.
"""

import json
import os
import sys
from pathlib import Path

from ray.cluster_utils import Cluster

MEMORY = 100 * 2**20


def main(nodes: int, folder: str) -> None:
    # Ray notes the cluster's address below its usual folder, which nothing makes on a machine where
    # no other cluster ever ran.
    os.environ["RAY_TMPDIR"] = folder
    (Path(folder) / "ray").mkdir(exist_ok=True)
    cluster, head = Cluster(), {"temp_dir": folder, "include_dashboard": False}
    started = [cluster.add_node(num_cpus=0, object_store_memory=MEMORY, **head)]
    started += [cluster.add_node(num_cpus=1, object_store_memory=MEMORY) for _ in range(nodes)]
    raylets = [node.all_processes["raylet"][0].process.pid for node in started]
    print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)
    sys.stdin.read()
    cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
