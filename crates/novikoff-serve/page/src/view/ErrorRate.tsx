import { useMemo } from "preact/hooks";
import type { Description, Point } from "../api";
import { drift } from "../drift";
import { count, percent, rate } from "../format";
import { Chart, type Line } from "./Chart";
import { PointTable } from "./PointTable";

/** Rows of the window. */
const WINDOW = 1000;

/** Shares of fewer rows than these may leave the chart: the first mistake alone is 100%. */
const FEW = 50;

/** The share of mistakes among the last rows, and among all. */
export function ErrorRate({ points, model }: { points: Point[]; model: Description }) {
  const lines = useMemo((): Line[] => {
    const x = points.map((point) => point.seq);
    const last = points.map((point) => point.window_mistakes / Math.min(point.seq, WINDOW));
    const all = points.map((point) => point.mistakes / point.seq);
    return [
      { name: `last ${count(WINDOW)} rows`, ink: "--ink-3", x, y: last, show: percent },
      { name: "all rows", ink: "--ink-1", dashed: true, x, y: all, show: percent },
    ];
  }, [points]);
  const settled = lines.flatMap((line) => line.y.filter((_, i) => (line.x[i] ?? 0) >= FEW));
  const top = settled.length > 0 ? Math.max(0.01, 1.1 * Math.max(...settled)) : null;
  const found = drift(points, model.seq, model.window);
  const label = `Share of mistakes: ${rate(model.window.mistakes, model.window.rows)} in the last ${count(model.window.rows)} rows, ${rate(model.mistakes, model.rows)} in all.`;
  return (
    <section>
      <h2>Rate of mistakes</h2>
      {points.length === 0 ? (
        <p class="note">The curve begins with the first learned row.</p>
      ) : (
        <>
          <Chart label={label} lines={lines} top={top} axis={(value) => percent(value).replace(/\.?0+%/, "%")} />
          <p class={found === null ? "note" : "notice drift"}>
            {found === null
              ? model.seq < 2 * WINDOW
                ? `Drift is looked for from row ${count(2 * WINDOW)} on.`
                : "No drift: the last rows have about as few mistakes as the best rows before."
              : `Drift: ${percent(found.now)} mistakes in the last ${count(WINDOW)} rows, ${percent(found.before)} in the ${count(WINDOW)} rows up to row ${count(found.seq)}.`}
          </p>
          <PointTable caption="Rate of mistakes by rows learned" lines={lines} />
        </>
      )}
    </section>
  );
}
