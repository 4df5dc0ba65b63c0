"""Writes the data of docs/decisions.md: customers.csv, held-out.csv, night-1.csv to night-14.csv, later.csv and tomorrow.csv.

All rows are drawn in the same way, so nothing changes from night to night. tomorrow.csv has no label.

    python3 make_nights.py [FOLDER]
"""

import csv
import pathlib
import random
import sys

from make_data import customer

NIGHTS = 14
PARTS = [("customers", 10_000), ("held-out", 3_000)]
PARTS += [(f"night-{night}", 1_000) for night in range(1, NIGHTS + 1)]
PARTS += [("later", 6_000), ("tomorrow", 500)]


def main(folder: pathlib.Path) -> None:
    draw = random.Random(3)
    regions = {f"region {k:02d}": draw.gauss(0, 0.4) for k in range(40)}
    first = 0
    for name, count in PARTS:
        rows = [customer(draw, number, regions) for number in range(first, first + count)]
        first += count
        columns = [column for column in rows[0] if name != "tomorrow" or column != "churned"]
        with open(folder / f"{name}.csv", "w", newline="") as file:
            out = csv.DictWriter(file, fieldnames=columns, extrasaction="ignore")
            out.writeheader()
            out.writerows(rows)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
