"""Bundle the page's modules, since many small files load slowly over a slow link.

Each module becomes a function that is called once, after the modules it imports; modules must not import each
other in cycles. Only the forms that the page uses are supported: named and default imports, exported
declarations, and lists of exports.
"""

import posixpath
import re
from collections.abc import Callable, Iterator

IMPORT = re.compile(r'^import\s+([^"]*?)\s+from\s+"([^"]+)";?[^\n]*\n', re.MULTILINE)
PASSED_ON = re.compile(r'^export\s*\{([^}]*)\}\s*from\s+"([^"]+)";?', re.MULTILINE)
DECLARED = re.compile(r"^export\s+((?:async\s+)?(?:const|let|function\*?|class)\s+)(\w+)", re.MULTILINE)
LISTED = re.compile(r"\bexport\s*\{([^}]*)\};?")
DEFAULT = re.compile(r"^export\s+default\s+", re.MULTILINE)


def bundled(start: str, read: Callable[[str], str]) -> str:
    """Return `start` and its imports as one module; `read` returns the text at an address."""
    # Depth first, so that a module is called after all its imports.
    order = list(_in_order(start, read, [], set()))
    number = {address: k for k, address in enumerate(order)}
    return "".join(f"const m{number[one]} = (() => {{\n{_module(one, read(one), number)}}})();\n" for one in order)


def _in_order(address: str, read: Callable[[str], str], above: list[str], seen: set[str]) -> Iterator[str]:
    if address in above:
        raise ValueError(f"modules import each other in a cycle: {' -> '.join([*above, address])}")
    if address in seen:
        return
    text = read(address)
    for _, target in (*IMPORT.findall(text), *PASSED_ON.findall(text)):
        yield from _in_order(_resolve(address, target), read, [*above, address], seen)
    seen.add(address)
    yield address


def _resolve(address: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(address), target))


def _pairs(names: str) -> list[tuple[str, str]]:
    """Return `a as b, c` as [(a, b), (c, c)]."""
    split = [one.split(" as ") for one in names.replace("\n", " ").split(",") if one.strip()]
    return [(one[0].strip(), one[-1].strip()) for one in split]


def _module(address: str, text: str, number: dict[str, int]) -> str:
    exports: list[tuple[str, str]] = []  # (local name, exported name)

    def imported(match: re.Match[str]) -> str:
        source = f"m{number[_resolve(address, match[2])]}"
        alone, _, rest = match[1].partition("{")
        pairs = [("default", alone.strip(" ,"))] if alone.strip(" ,") else []
        pairs += _pairs(rest.rstrip("} "))
        return f"const {{ {', '.join(f'{theirs}: {ours}' for theirs, ours in pairs)} }} = {source};\n"

    def passed_on(match: re.Match[str]) -> str:
        source = f"m{number[_resolve(address, match[2])]}"
        exports.extend((f"{source}.{theirs}", called) for theirs, called in _pairs(match[1]))
        return ""

    def declared(match: re.Match[str]) -> str:
        exports.append((match[2], match[2]))
        return f"{match[1]}{match[2]}"

    def listed(match: re.Match[str]) -> str:
        exports.extend(_pairs(match[1]))
        return ""

    # Imports are replaced first; the remaining `export`s are declarations, lists or the default.
    text = IMPORT.sub(imported, text)
    text = PASSED_ON.sub(passed_on, text)
    text = DECLARED.sub(declared, text)
    text = LISTED.sub(listed, text)
    text, defaults = DEFAULT.subn("const the_default = ", text)
    exports += [("the_default", "default")] * defaults
    return f"{text}\nreturn {{ {', '.join(f'{called}: {here}' for here, called in exports)} }};\n"
