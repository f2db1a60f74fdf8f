#!/usr/bin/env python3
"""Usage: at_spi_tree.py SECONDS: waits for RoPE Lab on the accessibility bus and checks its figures.

Every chart that is shown must have a name and a summary that ends with a full stop; those of the Rotation room must be
among them.
"""
import sys
import time

import pyatspi

EXPECTED = {"Dials of the pairs", "Enlarged pair", "Logit contribution per pair"}


def all_below(accessible, depth=0):
    yield accessible
    if depth > 40:
        return
    for index in range(accessible.childCount):
        child = accessible.getChildAtIndex(index)
        if child is not None:
            yield from all_below(child, depth + 1)


def charts():
    found = {}
    desktop = pyatspi.Registry.getDesktop(0)
    for index in range(desktop.childCount):
        program = desktop.getChildAtIndex(index)
        if program is None or "rope" not in (program.name or "").lower():
            continue
        for each in all_below(program):
            if each.getRole() != pyatspi.ROLE_CHART or not each.getState().contains(pyatspi.STATE_VISIBLE):
                continue
            if each.getState().contains(pyatspi.STATE_SHOWING):
                found[each.name] = each.description
    return found


def main():
    end = time.monotonic() + float(sys.argv[1])
    found = {}
    while time.monotonic() < end:
        try:
            found = charts()
        except Exception:  # the program is still building its window
            found = {}
        if EXPECTED <= found.keys():
            break
        time.sleep(0.5)
    for name, summary in sorted(found.items()):
        print(f"{name!r}: {summary!r}")
    problems = [f"no figure {name!r}" for name in sorted(EXPECTED - found.keys())]
    problems += ["a figure has no name" for name in found if not name]
    problems += [f"{name!r} has no summary" for name, text in found.items() if not (text or "").endswith(".")]
    for problem in problems:
        print("failed:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
