import { count } from "../format";
import type { Line } from "./Chart";

/** Rows of the table. */
const ROWS = 12;

/** A few of the numbers, evenly spread between the first and the last. */
function spread(xs: number[]): number[] {
  const [first, last] = [xs[0], xs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const step = (last - first) / (ROWS - 1);
  const chosen = Array.from({ length: ROWS }, (_, i) => xs.find((x) => x >= first + i * step) ?? last);
  return [...new Set(chosen)];
}

/** The lines of a chart as a table, at a few of their points. */
export function PointTable({ caption, lines }: { caption: string; lines: Line[] }) {
  const chosen = spread(lines[0]?.x ?? []);
  // a line says nothing beyond its end
  const at = (line: Line, x: number): string => {
    const i = line.x.findLastIndex((other) => other <= x);
    const value = (line.x.at(-1) ?? 0) < x ? undefined : line.y[i];
    return value === undefined ? "–" : line.show(value);
  };
  return (
    <details>
      <summary>As a table</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col" class="number">
                rows
              </th>
              {lines.map((line) => (
                <th scope="col" class="number" key={line.name}>
                  {line.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {chosen.map((x) => (
              <tr key={x}>
                <th scope="row" class="number">
                  {count(x)}
                </th>
                {lines.map((line) => (
                  <td class="number" key={line.name}>
                    {at(line, x)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
