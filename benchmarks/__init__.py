"""Benchmark the foundation against other programs and slow baselines in the same run: `python -m benchmarks`."""
