// Whether the last rows have more mistakes than an earlier window had: the stream may have changed.

import type { Point, Window } from "./api";

/** Rows of a full window. */
const WINDOW = 1000;

/** Standard deviations of the difference that are called drift. The best of many windows is lucky, so 3 would be too few. */
const DEVIATIONS = 4;

export interface Drift {
  /** The share of mistakes in the best earlier window. */
  before: number;
  /** Where that window ended. */
  seq: number;
  /** The share of mistakes in the last rows. */
  now: number;
}

/** Drift, if there is any: two proportions compared with a pooled variance. */
export function drift(points: Point[], seq: number, last: Window): Drift | null {
  if (last.rows < WINDOW) return null;
  const earlier = points.filter((point) => point.seq >= WINDOW && point.seq <= seq - WINDOW);
  let best: Point | null = null;
  for (const point of earlier) {
    if (best === null || point.window_mistakes < best.window_mistakes) best = point;
  }
  if (best === null) return null;
  const before = best.window_mistakes / WINDOW;
  const now = last.mistakes / last.rows;
  const pooled = (before + now) / 2;
  const deviation = Math.sqrt((2 * pooled * (1 - pooled)) / WINDOW);
  return now - before > DEVIATIONS * deviation ? { before, seq: best.seq, now } : null;
}
