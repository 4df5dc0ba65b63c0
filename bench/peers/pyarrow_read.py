"""pyarrow: a Parquet file into a table. Usage: pyarrow_read.py FILE"""

import sys

import pyarrow.parquet
from clock import clocked


def work():
    table = pyarrow.parquet.read_table(sys.argv[1])
    return {"rows": table.num_rows, "features": table.num_columns - 1}


clocked(work)
