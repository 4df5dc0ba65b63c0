"""xgboost: a svmlight file into a DMatrix. Usage: xgboost_load.py FILE [NTHREAD]"""

import sys

import xgboost
from clock import clocked


def work():
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else None
    matrix = xgboost.DMatrix(sys.argv[1] + "?format=libsvm", nthread=threads)
    return {"rows": matrix.num_row(), "nonzeros": matrix.num_nonmissing()}


clocked(work)
