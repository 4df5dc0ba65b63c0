"""Writes the data of docs/tables.md and docs/text.md: churn.csv, churn-new.csv, tickets.jsonl and tickets-new.jsonl.

The data is drawn from fixed seeds with Python's standard library only, so everybody gets the same files.

    python3 make_data.py [FOLDER]
"""

import csv
import datetime
import json
import math
import pathlib
import random
import sys

PLANS = {"basic": 0.5, "plus": 0.0, "pro": -0.7}
PAYMENTS = {"card": -0.3, "transfer": 0.0, "invoice": 0.5}


def customer(draw: random.Random, number: int, regions: dict[str, float]) -> dict:
    """One row of a table as it comes out of a database: an id, dates, gaps, numbers of very different sizes."""
    plan = draw.choice(list(PLANS))
    payment = draw.choice(list(PAYMENTS))
    region = draw.choice(list(regions))
    signup = datetime.date(2019, 1, 1) + datetime.timedelta(days=draw.randrange(1800))
    tenure = (datetime.date(2024, 3, 1) - signup).days
    charge = round(draw.lognormvariate(3.5, 0.4), 2)
    usage = draw.lognormvariate(12, 1.0)
    calls = min(9, int(draw.expovariate(0.7)))
    income = draw.lognormvariate(10.3, 0.5)
    contact = datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=draw.randrange(80_000))
    score = (
        PLANS[plan]
        + PAYMENTS[payment]
        + regions[region]
        - 0.0009 * (tenure - 900)
        + 0.02 * (charge - 35)
        - 0.5 * (math.log(usage) - 12)
        + 0.45 * (calls - 1)
        - 1.6
    )
    churned = draw.random() < 1 / (1 + math.exp(-1.4 * score))
    gap = lambda value, share: "" if draw.random() < share else value
    return {
        "customer_id": f"C-{number:06d}",
        "signup": signup.isoformat(),
        "plan": plan,
        "payment": gap(payment, 0.05),
        "region": region,
        "monthly_charge": charge,
        "usage_bytes": round(usage),
        "support_calls": calls,
        "income": gap(round(income), 0.12),
        "last_contact": gap(contact.isoformat(timespec="minutes"), 0.08),
        "country": "NO",
        "churned": "yes" if churned else "no",
    }


def customers(folder: pathlib.Path) -> None:
    draw = random.Random(1)
    regions = {f"region {k:02d}": draw.gauss(0, 0.4) for k in range(40)}
    rows = [customer(draw, number, regions) for number in range(16_000)]
    for name, part in [("churn.csv", rows[:10_000]), ("churn-new.csv", rows[10_000:])]:
        with open(folder / name, "w", newline="") as file:
            out = csv.DictWriter(file, fieldnames=list(rows[0]))
            out.writeheader()
            out.writerows(part)


def words(draw: random.Random, count: int) -> list[str]:
    """Made-up words that can be spoken."""
    made: set[str] = set()
    while len(made) < count:
        syllables = draw.randrange(2, 5)
        made.add("".join(draw.choice("bdfgklmnprstv") + draw.choice("aeiou") for _ in range(syllables)))
    return sorted(made)


def tickets(folder: pathlib.Path) -> None:
    """Support tickets of five teams: each team has words of its own beside those that all use."""
    draw = random.Random(2)
    vocabulary = words(draw, 6_000)
    draw.shuffle(vocabulary)
    common = [1 / (rank + 3) for rank in range(len(vocabulary))]
    teams = {}
    for team in ["billing", "delivery", "login", "returns", "sales"]:
        own = draw.sample(vocabulary[200:], 250)
        teams[team] = (own, [1 / (rank + 5) for rank in range(len(own))])
    rows = []
    for number in range(9_000):
        team = draw.choice(list(teams))
        own, weights = teams[team]
        length = max(6, int(draw.lognormvariate(3.2, 0.5)))
        special = sum(draw.random() < 0.16 for _ in range(length))
        text = draw.choices(vocabulary, common, k=length - special) + draw.choices(own, weights, k=special)
        draw.shuffle(text)
        subject, body = " ".join(text[:4]).capitalize(), " ".join(text[4:]).capitalize() + "."
        rows.append({"id": number, "subject": subject, "body": body, "team": team})
    for name, part in [("tickets.jsonl", rows[:6_000]), ("tickets-new.jsonl", rows[6_000:])]:
        with open(folder / name, "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in part)


if __name__ == "__main__":
    here = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    here.mkdir(parents=True, exist_ok=True)
    customers(here)
    tickets(here)
