"""Check the locked user requirements for known vulnerabilities: python integrations/audit.py [PIP_AUDIT]

Runs pip-audit, which queries a database on the network. Exits with 0 if every package was looked up and none
has a known vulnerability, with 1 if one has, and with 2 if not every package could be looked up: nothing is
known then, which must not look like good news.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements" / "studio.txt"  # includes those of runtime.txt


def main(program: str = "pip-audit") -> int:
    """Run the audit; print one line per finding, then a summary line."""
    command = [program, "--require-hashes", "--disable-pip", "--format", "json", "-r", str(REQUIREMENTS)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages: list[dict[str, Any]] = json.loads(answer.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (answer.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"nothing was audited: pip-audit could not reach its data ({last[:200]})")
        return 2
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    found = [(one, vulnerability) for one in packages for vulnerability in one.get("vulns", ())]
    for one, vulnerability in found:
        fixed = ", ".join(vulnerability.get("fix_versions", ())) or "no version yet"
        print(f"{one['name']} {one['version']}: {vulnerability['id']}, mended in {fixed}")
    print(f"{len(packages) - len(skipped)} of {len(packages)} packages were looked up, {len(found)} vulnerabilities")
    if skipped:
        print(f"not looked up, since pip-audit did not find them in its data: {', '.join(skipped)}")
    return 1 if found else 2 if skipped or not packages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
