"""Charts, and what notebooks show: values beside scikit-learn's, texts escaped."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from novikoff import AutoClassifier, AveragedPerceptron, LogisticRegression, Perceptron, plot
from novikoff._repr import report_html
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

matplotlib.use("agg")


def drawn(ax, line=0):
    return ax.lines[line].get_xydata()


@pytest.fixture
def scored(digits):
    X, y = digits
    y = np.where(y == 8, "eight", "other")
    model = LogisticRegression().fit(X[:900], y[:900])
    return model, y[900:], model.predict_proba(X[900:])[:, 0]


def test_curves_are_those_of_scikit_learn(scored):
    _, y, chances = scored
    x, rates, _ = roc_curve(y == "eight", chances, drop_intermediate=False)
    ax = plot.roc(y, chances, positive="eight")
    assert np.allclose(drawn(ax), np.column_stack([x, rates]))
    assert ax.get_title().endswith(f"{roc_auc_score(y == 'eight', chances):.3f}")
    title = plot.precision_recall(y, chances, positive="eight").get_title()
    assert title.endswith(f"{average_precision_score(y == 'eight', chances):.3f}")
    # with ties, and of two labels the larger is positive
    ties = np.round(chances, 1)
    ax = plot.roc(y, 1 - ties)
    assert ax.get_title().endswith(f"{roc_auc_score(y == 'other', 1 - ties):.3f}")


def test_reliability(scored):
    _, y, chances = scored
    ax = plot.reliability(y, chances, positive="eight", bins=5)
    points = drawn(ax, 1)
    place = np.minimum((chances * 5).astype(int), 4)
    for k, bin_ in enumerate(np.unique(place)):
        assert np.allclose(points[k], [chances[place == bin_].mean(), (y[place == bin_] == "eight").mean()])


def test_bounds_and_mistakes(digits):
    X, y = digits
    y = y == 0
    model = Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
    certificate = model.certify(X, y, effort="quick")
    ax = plot.bounds({"perceptron": certificate})
    assert ax.patches[0].get_width() == certificate.mistakes
    assert drawn(ax)[0][0] == certificate.bound
    ax = plot.mistakes([True, False, True], bound=3.5)
    assert drawn(ax)[:, 1].tolist() == [1, 1, 2]
    html = certificate._repr_html_()
    assert "bound" in html and str(certificate.theorem) in html


def test_weights(digits):
    X, y = digits
    model = AveragedPerceptron(epochs=1).fit(X, y)
    ax = plot.weights(model, top=5, label=3)
    assert len(ax.patches) == 5 and ax.get_title() == "The largest weights of 3"
    widths = np.abs([bar.get_width() for bar in ax.patches])
    assert np.allclose(widths, np.sort(np.abs(model.coef_[3]))[::-1][:5])


def test_the_course_of_experts(digits):
    X, y = digits
    model = AutoClassifier(epochs=1, shuffle=False).fit(X, y)
    experts = model.report_["experts"]
    ax = plot.experts(model)
    assert [line.get_label() for line in ax.lines] == [expert["spec"] for expert in experts]
    weights = np.array([drawn(ax, k)[:, 1] for k in range(len(experts))])
    np.testing.assert_allclose(weights.sum(axis=0), 1)
    ax = plot.experts(model, what="mistakes")
    rows, majority = drawn(ax, len(experts)).T
    assert (np.diff(rows) > 0).all() and rows[-1] <= len(y)
    # the mistakes of the majority after so many rows are those of a run over so many rows
    last = int(rows[-1])
    assert majority[-1] == AutoClassifier(epochs=1, shuffle=False).partial_fit(X[:last], y[:last]).mistakes_


def test_reports_in_notebooks(digits):
    X, y = digits
    model = AveragedPerceptron(epochs=1, keep_rows=True).fit(X, y == 0)
    assert model.report_._repr_html_() == report_html(model.report_) and f"{model.mistakes_:,}" in model.report_._repr_html_()
    assert "mistakes" in model.certificate_.report._repr_html_()
    assert "relative gap" in LogisticRegression().fit(X[:200], y[:200] == 0).report_._repr_html_()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot.roc([0, 1, 2], [1, 2, 3]), "y has 3 labels; name one of them by positive="),
        (lambda: plot.roc([0, 1], [1, 2, 3]), r"got the shapes \(2,\) and \(3,\)"),
        (lambda: plot.roc([0, 1], [1, np.nan]), "must be finite"),
        (lambda: plot.roc([0, 1], [1, 2], positive=7), "rows of the positive label and others"),
        (lambda: plot.reliability([0, 1], [0.5, 1.5]), "from 0 to 1"),
        (lambda: plot.mistakes([]), "one per row"),
        (lambda: plot.experts(Perceptron()), "Perceptron: must be an AutoClassifier that has learned"),
        (lambda: plot.experts(AutoClassifier(), what="votes"), 'what=.votes.: must be "weights" or "mistakes"'),
    ],
)
def test_what_cannot_be_drawn_is_said(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_estimators_in_notebooks(digits):
    X, y = digits
    model = AveragedPerceptron(epochs=2)
    assert "validation" not in model._repr_html_()
    shown = model.fit(X, y)._repr_html_()
    assert f"{model.mistakes_:,}" in shown and "validation" in shown
    assert shown.endswith(report_html(model.report_)) and model._repr_mimebundle_()["text/html"].endswith(report_html(model.report_))


def test_texts_are_escaped():
    shown = report_html({"spec": "<b>", "remarks": [{"kind": "x", "text": "a & <script>"}]})
    assert "<script>" not in shown and "<b>" not in shown and "a &amp; &lt;script&gt;" in shown


def test_bounds_of_several(digits):
    X, y = digits
    models = [AveragedPerceptron(epochs=1, bias=bias).fit(X, y == 0) for bias in (1.0, 0)]
    ax = plot.bounds([model.certify(X, y == 0, effort="quick") for model in models])
    assert [bar.get_width() for bar in ax.patches] == [model.mistakes_ for model in models]
    assert len({label.get_text() for label in ax.get_yticklabels()}) == 2
    with pytest.raises(TypeError, match=r"give model.certificate_ or model.certify\(X, y\)"):
        plot.bounds(models)
    with pytest.raises(ValueError, match="one per row in its order"):
        plot.mistakes(models[0])


def test_the_legend_of_experts_is_beside_the_lines(digits):
    X, y = digits
    ax = plot.experts(AutoClassifier(epochs=1).fit(X[:300], y[:300]))
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= ax.get_window_extent().x1 and legend.x1 <= ax.figure.bbox.x1 + 1
