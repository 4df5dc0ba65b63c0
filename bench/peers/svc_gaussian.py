"""scikit-learn's SVC with a Gaussian kernel on pixels from 0 to 1. Usage: svc_gaussian.py plain|intelex TRAIN TEST C GAMMA

The clock runs for fitting alone."""

import sys

kind, train, test, c, gamma = sys.argv[1:]
if kind == "intelex":
    from sklearnex import patch_sklearn

    patch_sklearn(verbose=False)

from clock import clocked
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

x, y = load_svmlight_file(train, n_features=784)
z, truth = load_svmlight_file(test, n_features=784)
x, z = x.toarray() / 255, z.toarray() / 255
machine = SVC(kernel="rbf", gamma=float(gamma), C=float(c), cache_size=1000)


def fit():
    machine.fit(x, y)


def score():
    wrong = int((machine.predict(z) != truth).sum())
    return {"wrong": wrong, "support": int(machine.support_.size), "rows": z.shape[0]}


clocked(fit, score)
