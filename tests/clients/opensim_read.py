"""Runs inside OpenSim's environment: reads .trc and .mot files and prints names, rate, unit and numbers as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import opensim


def markers(path: str) -> dict[str, object]:
    table = opensim.TimeSeriesTableVec3(path)
    rows = []
    for number in range(table.getNumRows()):
        row = table.getRowAtIndex(number)
        rows.append([list(row.getElt(0, k).to_numpy()) for k in range(row.ncol())])
    about = {key: table.getTableMetaDataString(key) for key in ("DataRate", "Units")}
    return {
        "names": list(table.getColumnLabels()),
        "values": rows,
        "times": list(table.getIndependentColumn()),
        **about,
    }


def coordinates(path: str) -> dict[str, object]:
    table = opensim.TimeSeriesTable(path)
    rows = table.getMatrix().to_numpy().tolist()
    about = {"inDegrees": table.getTableMetaDataString("inDegrees")}
    return {
        "names": list(table.getColumnLabels()),
        "values": rows,
        "times": list(table.getIndependentColumn()),
        **about,
    }


out, *paths = sys.argv[1:]
found = {path: (markers if path.endswith(".trc") else coordinates)(path) for path in paths}
Path(out).write_text(json.dumps(found))
