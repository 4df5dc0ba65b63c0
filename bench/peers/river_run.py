"""river: one pass of a one-vs-rest perceptron, predicting each row first. Usage: river_run.py FILE"""

import sys

from clock import clocked
from river import linear_model, multiclass


def read(path):
    with open(path) as lines:
        for line in lines:
            label, *features = line.split()
            yield {int(i): float(v) for i, v in (f.split(":") for f in features)}, int(float(label))


def one_pass(rows):
    model = multiclass.OneVsRestClassifier(linear_model.Perceptron())
    mistakes = 0
    for x, y in rows:
        mistakes += model.predict_one(x) != y
        model.learn_one(x, y)
    return {"rows": len(rows), "mistakes": mistakes}


data = list(read(sys.argv[1]))
clocked(lambda: one_pass(data))
