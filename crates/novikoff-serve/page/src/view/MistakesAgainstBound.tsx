import { useMemo, useState } from "preact/hooks";
import type { Description } from "../api";
import type { Feed } from "../feed";
import { compact, count, upper } from "../format";
import { CertificateText } from "./CertificateText";
import { Chart, type Line } from "./Chart";
import { PointTable } from "./PointTable";

/** Mistakes so far, and the most that the learner's theorem allows. */
export function MistakesAgainstBound({ feed, model }: { feed: Feed; model: Description }) {
  const [logarithmic, setLogarithmic] = useState(false);
  const { points, certificate } = feed;
  const vacuous = certificate?.certificate?.vacuous === true;
  const countsUpdates = certificate?.certificate?.counts === "updates";
  const hasErrors = model.validation !== null;
  const lines = useMemo(() => {
    const x = points.map((point) => point.seq);
    const lines: Line[] = [
      { name: "mistakes", ink: "--ink-1", x, y: points.map((point) => point.mistakes), show: count },
    ];
    // the predictor that answers need not be the learner's own rule: an average makes other errors
    if (points.some((point) => point.errors !== point.mistakes) && hasErrors) {
      lines.push({ name: "validation errors", ink: "--ink-3", x, y: points.map((point) => point.errors), show: count });
    }
    // a theorem that does not look back has the bounds of this and earlier certificates
    const hasCurve = (certificate?.curve.length ?? 0) > 0;
    const drawn = (hasCurve ? certificate?.curve : certificate?.history) ?? [];
    if (drawn.length > 0) {
      const name = `bound${countsUpdates ? " on updates" : ""}${vacuous ? " (vacuous)" : ""}${hasCurve ? "" : ", as certified"}`;
      const y = drawn.map((point) => point.bound);
      lines.push({ name, ink: "--ink-2", dashed: true, x: drawn.map((point) => point.seq), y, show: upper });
    }
    return logarithmic ? lines.map(positive) : lines;
  }, [points, certificate, logarithmic, hasErrors]);
  // a bound that says nothing does not set the axis
  const top = vacuous && !logarithmic ? Math.max(10, 1.5 * model.mistakes) : null;
  const label = `Mistakes so far against the bound: ${count(model.mistakes)} mistakes in ${count(model.rows)} rows.`;
  return (
    <section>
      <h2>Mistakes against the bound</h2>
      {points.length === 0 ? (
        <p class="note">The curve begins with the first learned row.</p>
      ) : (
        <>
          <Chart label={label} lines={lines} top={top} logarithmic={logarithmic} axis={compact} />
          <p>
            <label>
              <input type="checkbox" checked={logarithmic} onChange={(event) => setLogarithmic(event.currentTarget.checked)} /> logarithmic
            </label>
          </p>
          <CertificateText feed={feed} />
          <PointTable caption="Mistakes and bound by rows learned" lines={lines} />
        </>
      )}
    </section>
  );
}

/** A logarithmic axis has no 0. */
function positive(line: Line): Line {
  const kept = line.y.map((value, i) => [line.x[i] ?? 0, value] as const).filter(([, value]) => value > 0);
  return { ...line, x: kept.map(([x]) => x), y: kept.map(([, y]) => y) };
}
