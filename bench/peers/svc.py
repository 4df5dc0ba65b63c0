"""scikit-learn's SVC on rows of length 1. Usage: svc.py plain|intelex fit|predict TRAIN TEST ROWS

The clock runs for fitting, or for predicting, alone."""

import sys

kind, task, train, test, rows = sys.argv[1:]
if kind == "intelex":
    from sklearnex import patch_sklearn

    patch_sklearn(verbose=False)

from clock import clocked
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

x, y = load_svmlight_file(train, n_features=784)
x, y = normalize(x)[: int(rows)], y[: int(rows)]
z, truth = load_svmlight_file(test, n_features=784)
z = normalize(z)
machine = SVC(kernel="poly", degree=4, cache_size=1000)

dense, others = x.toarray(), z.toarray()


def fit():
    machine.fit(dense, y)


def predict():
    return {"wrong": int((machine.predict(others) != truth).sum())}


def support():
    return {"support": int(machine.support_.size), "rows": others.shape[0]}


if task == "fit":
    clocked(fit, lambda: predict() | support())
else:
    fit()
    clocked(predict, support)
