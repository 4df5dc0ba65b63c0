import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace";

test("rows per second over the last ten seconds, falling to none", () => {
  let now = 0;
  const pace = new Pace(() => now);
  pace.add(0);
  for (let second = 1; second <= 20; second++) {
    now = second * 1000;
    pace.add(second * 50);
  }
  assert.ok(Math.abs(pace.perSecond() - 50) <= 5, `${pace.perSecond()}`);
  now += 5000;
  assert.ok(pace.perSecond() < 40 && pace.isMoving());
  now += 6000;
  assert.equal(pace.perSecond(), 0);
});

test("rows after a long silence are of the last seconds", () => {
  let now = 0;
  const pace = new Pace(() => now);
  pace.add(1000);
  now = 3_600_000;
  pace.add(1100);
  assert.equal(pace.perSecond(), 10);
  pace.forget();
  pace.add(5000);
  assert.equal(pace.perSecond(), 0);
});
