import assert from "node:assert/strict";
import { test } from "node:test";
import { drift } from "./drift";

const point = (seq: number, window_mistakes: number) => ({ seq, mistakes: 0, errors: 0, window_mistakes });

test("drift is a window that is much worse than the best one before it", () => {
  const points = [point(500, 0), point(1000, 300), point(2000, 50), point(3500, 0)];
  assert.deepEqual(drift(points, 4000, { rows: 1000, mistakes: 120 }), { before: 0.05, seq: 2000, now: 0.12 });
  // 50 and 70 of 1,000 are less than 4 standard deviations apart: 0.02 against 4 x 0.0106
  assert.equal(drift(points, 4000, { rows: 1000, mistakes: 70 }), null);
});

test("a window that overlaps the last one, or is not full, is not compared with", () => {
  assert.equal(drift([point(500, 0), point(1500, 0)], 2000, { rows: 1000, mistakes: 900 }), null);
  assert.equal(drift([point(1000, 0)], 1900, { rows: 900, mistakes: 900 }), null);
});
