"""Tables of random numbers as CSV and Parquet. Usage: make_table.py ROWS COLUMNS FILE.csv FILE.parquet"""

import sys

import numpy
import polars

rows, columns = int(sys.argv[1]), int(sys.argv[2])
random = numpy.random.default_rng(1)
values = random.standard_normal((rows, columns), dtype=numpy.float32).round(5)
target = random.standard_normal(columns)
label = numpy.where(values @ target >= 0, 1, -1)
frame = polars.DataFrame({"label": label} | {f"x{j}": values[:, j] for j in range(columns)})
frame.write_csv(sys.argv[3])
frame.write_parquet(sys.argv[4], compression="snappy")
