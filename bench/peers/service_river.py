"""A server that predicts and learns row by row: FastAPI and river. No durability.

uvicorn service_river:app. Bodies are those of novikoff's service.
"""

from fastapi import FastAPI, Request
from river.linear_model import Perceptron

app = FastAPI()
model = Perceptron()


@app.post("/predict")
async def predict(request: Request):
    rows = (await request.json())["rows"]
    spam = [model.predict_one(row["features"]) for row in rows]
    return {"predictions": [{"label": "spam" if s else "ham"} for s in spam]}


@app.post("/learn")
async def learn(request: Request):
    rows = (await request.json())["rows"]
    answers = []
    for row in rows:
        x, y = row["features"], row["label"] == "spam"
        predicted = model.predict_one(x)
        model.learn_one(x, y)
        answers.append({"label": "spam" if predicted else "ham", "mistake": bool(predicted) != y})
    return {"predictions": answers}
