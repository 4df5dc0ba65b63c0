"""scikit-learn. Usage: sklearn_run.py load|perceptron FILE, or sklearn_run.py digits FILE (writes it)"""

import sys

import numpy
from clock import clocked
from sklearn.datasets import dump_svmlight_file, load_digits, load_svmlight_file
from sklearn.linear_model import Perceptron


def load(path):
    rows, _ = load_svmlight_file(path)
    return {"rows": rows.shape[0], "nonzeros": int(rows.nnz)}


def perceptron(path):
    """The loader makes 64-bit indices, which Perceptron refuses: they are narrowed in between."""
    rows, labels = load_svmlight_file(path)
    rows.indices, rows.indptr = rows.indices.astype(numpy.int32), rows.indptr.astype(numpy.int32)
    Perceptron(max_iter=1, tol=None).fit(rows, labels)
    return {"rows": rows.shape[0]}


def digits(path):
    rows, labels = load_digits(return_X_y=True)
    dump_svmlight_file(rows, labels, path, zero_based=False)
    return {"rows": rows.shape[0]}


task = {"load": load, "perceptron": perceptron, "digits": digits}[sys.argv[1]]
clocked(lambda: task(sys.argv[2]))
