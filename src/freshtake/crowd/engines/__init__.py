"""Where shards are made: in processes of this machine, or by the workers of a Dask scheduler."""
