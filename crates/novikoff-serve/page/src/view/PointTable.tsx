import { count } from "../format";
import type { Line } from "./Chart";

/** Rows of the table. */
const ROWS = 12;

/** The lines of a chart as a table, at a few of their points. */
export function PointTable({ caption, lines }: { caption: string; lines: Line[] }) {
  const xs = lines[0]?.x ?? [];
  const step = Math.max(1, Math.ceil(xs.length / ROWS));
  const chosen = xs.filter((_, i) => (xs.length - 1 - i) % step === 0);
  const at = (line: Line, x: number): string => {
    const i = line.x.findLastIndex((other) => other <= x);
    const value = line.y[i];
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
