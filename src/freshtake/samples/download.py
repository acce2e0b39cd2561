"""Fetch public takes of the CMU motion capture database, checked against a list of sizes and SHA-256 sums."""

import csv
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FreshtakeError, UsageError
from freshtake.formats.files import check_free, read_bytes
from freshtake.methods.progress import Progress, Report, silent

BASE_URL = "https://raw.githubusercontent.com/una-dinosauria/cmu-mocap/master/data/"
CREDIT = (
    "The data used in this project was obtained from mocap.cs.cmu.edu. "
    "The database was created with funding from NSF EIA-0196217."
)
_TIMEOUT = 30  # seconds without a byte


class DownloadFailed(FreshtakeError):
    """A take that could not be fetched; names the take, the reason, and the remedy."""


class Take(NamedTuple):
    """A public recording: its number, its path below the base address, and the file's size and checksum."""

    take: str
    path: str
    bytes: int
    sha256: str
    description: str

    @property
    def file_name(self) -> str:
        """Return the name of the file in the user's folder."""
        return self.path.rsplit("/", 1)[-1]


@lru_cache(maxsize=1)
def takes() -> tuple[Take, ...]:
    """Return all takes that can be fetched."""
    text = (resources.files("freshtake.samples") / "cmu_takes.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(Take(r["take"], r["path"], int(r["bytes"]), r["sha256"], r["description"]) for r in rows)


def download(
    names: Sequence[str],
    folder: Path,
    *,
    base_url: str = BASE_URL,
    listed: Sequence[Take] | None = None,
    report: Report = silent,
    retries: int = 2,
) -> list[Path]:
    """Fetch the named takes (none named: all) into a folder, and return the files in that order.

    A file that exists with the listed content is not fetched again. Files are written atomically, after the check.
    Show `CREDIT` to the people who use the takes.
    """
    chosen = _chosen(names, takes() if listed is None else listed)
    for take in chosen:
        file = folder / take.file_name
        # A file with other content is replaced only if the user allows it.
        if file.is_file() and hashlib.sha256(read_bytes(file)).hexdigest() != take.sha256:
            check_free(file)
    total = sum(take.bytes for take in chosen) or 1
    done, files = 0, []
    for take in chosen:

        def arrived(count: int, take: Take = take, before: int = done) -> None:
            report(Progress(min(1.0, (before + count) / total), f"take {take.take}"))

        files.append(_fetch(take, folder, base_url, retries, arrived))
        arrived(take.bytes)
        done += take.bytes
    return files


def _chosen(names: Sequence[str], listed: Sequence[Take]) -> list[Take]:
    by_name = {take.take: take for take in listed}
    for name in names:
        if name not in by_name:
            some = ", ".join(list(by_name)[:8])
            raise UsageError(f"there is no public take {name!r} in the list of {len(by_name)}, such as {some}")
    return [by_name[name] for name in dict.fromkeys(names)] or list(listed)


def _fetch(take: Take, folder: Path, base_url: str, retries: int, arrived: Callable[[int], None]) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    shelf = pooch.create(
        path=folder,
        base_url="",
        registry={take.file_name: f"sha256:{take.sha256}"},
        urls={take.file_name: base_url + take.path},
        retry_if_failed=retries,
    )
    try:
        return Path(shelf.fetch(take.file_name, downloader=partial(_receive, take, arrived)))
    except requests.HTTPError as error:
        code = "no success" if error.response is None else error.response.status_code
        raise _failed(take, f"the server answered {code} for {base_url + take.path}: the file may have moved") from None
    except requests.exceptions.ChunkedEncodingError:
        raise _failed(take, "the connection was lost: try again") from None
    except requests.Timeout:
        raise _failed(take, f"the server did not respond for {_TIMEOUT} s: try again later") from None
    except (requests.RequestException, ConnectionError):
        raise _failed(take, f"{base_url} cannot be reached: check the internet connection") from None
    except ValueError:
        raise _failed(take, "its SHA-256 is not the listed one: try again, or get the file elsewhere") from None
    except OSError as error:
        raise _failed(take, f"{folder} cannot be written ({error.strerror}): name another folder") from None


def _failed(take: Take, why: str) -> DownloadFailed:
    return DownloadFailed(f"take {take.take} could not be fetched: {why}")


def _receive(take: Take, arrived: Callable[[int], None], url: str, output_file: str, pooch: Any) -> None:
    """Fetch a file over HTTP for pooch, but never more than the listed number of bytes."""
    import requests

    plain = {"Accept-Encoding": "identity"}  # so that the bytes in transit are the file's
    with Path(output_file).open("wb") as stream, requests.get(url, stream=True, timeout=_TIMEOUT, headers=plain) as r:
        r.raise_for_status()
        count = 0
        for chunk in r.iter_content(1 << 16):
            count += len(chunk)
            if count > take.bytes:
                problem = (
                    f"the server sends more than the listed {take.bytes} bytes, so it is a different file: report it"
                )
                raise _failed(take, problem)
            stream.write(chunk)
            arrived(count)
