"""A server that predicts and learns row by row: FastAPI and scikit-learn's `partial_fit`. No durability.

uvicorn service_sklearn:app. Bodies are those of novikoff's service.
"""

from fastapi import FastAPI, Request
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

app = FastAPI()
hasher = FeatureHasher(n_features=2**16)
model = SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None)
CLASSES = ["ham", "spam"]


@app.post("/predict")
async def predict(request: Request):
    rows = (await request.json())["rows"]
    X = hasher.transform(row["features"] for row in rows)
    margins = model.decision_function(X)
    return {"predictions": [{"label": CLASSES[int(m > 0)], "margin": float(m)} for m in margins]}


@app.post("/learn")
async def learn(request: Request):
    rows = (await request.json())["rows"]
    X = hasher.transform(row["features"] for row in rows)
    y = [row["label"] for row in rows]
    predicted = model.predict(X) if hasattr(model, "coef_") else y
    model.partial_fit(X, y, classes=CLASSES)
    return {"predictions": [{"label": str(p), "mistake": bool(p != label)} for p, label in zip(predicted, y)]}
