import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { compact, count } from "../format";

export interface Line {
  name: string;
  /** A custom property of the style sheet: `--ink-1`. */
  ink: string;
  dashed?: boolean;
  x: number[];
  y: number[];
  /** How a value is shown. */
  show: (value: number) => string;
}

interface Props {
  /** What the chart is of, for those who do not see it. */
  label: string;
  lines: Line[];
  /** The highest value of the axis; null: that of the lines. */
  top: number | null;
  logarithmic?: boolean;
  axis: (value: number) => string;
}

const WHOLE = [1, 2, 5].flatMap((digit) => Array.from({ length: 13 }, (_, power) => digit * 10 ** power)).sort((a, b) => a - b);

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Lines on one axis of x; a line has no value where it has no point. */
function joined(lines: Line[]): uPlot.AlignedData {
  const tables = lines.map((line) => [line.x, line.y] as uPlot.AlignedData);
  return tables.length === 0 ? [[]] : uPlot.join(tables);
}

/** `top` is asked whenever there is new data: the axis follows without another chart. */
function options(props: Props, width: number, top: () => number | null, moved: (index: number | null) => void): uPlot.Options {
  const grid = { stroke: colour("--grid"), width: 1 };
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: colour("--faint"), grid, ticks: grid, font };
  return {
    width,
    height: width < 480 ? 200 : 260,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false },
      y: props.logarithmic
        ? { distr: 3, range: (_, low, high) => [Math.max(1, low), Math.max(10, high)] }
        : { range: (_, _low, high) => [0, top() ?? (high > 0 ? 1.05 * high : 1)] },
    },
    axes: [
      { ...axis, incrs: WHOLE, values: (_, values) => values.map(compact) },
      {
        ...axis,
        size: 56,
        // a logarithmic axis hands in null for lines without a number
        values: (_, values) => values.map((value: number | null) => (value === null ? "" : props.axis(value))),
      },
    ],
    series: [
      {},
      ...props.lines.map((line) => ({
        stroke: colour(line.ink),
        width: 2,
        points: { show: line.x.length < 2 },
        ...(line.dashed ? { dash: [7, 5] } : {}),
      })),
    ],
    hooks: { setCursor: [(plot) => moved(plot.cursor.idx ?? null)] },
  };
}

/** The value of a line at x, or the last before it; where the line has ended, the value at its end. */
function shownAt(line: Line, x: number): string {
  const i = line.x.findLastIndex((other) => other <= x);
  const [end, value] = [line.x[i], line.y[i]];
  if (end === undefined || value === undefined) return "–";
  return i === line.x.length - 1 && end < x ? `${line.show(value)} (row ${count(end)})` : line.show(value);
}

/** A chart with its values under the pointer, or by the arrow keys. */
export function Chart(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const [theme, setTheme] = useState(0);
  const top = useRef(props.top);
  top.current = props.top;
  const data = joined(props.lines);
  const shape = JSON.stringify([props.lines.map((line) => [line.ink, line.dashed, line.x.length < 2]), props.logarithmic, theme]);

  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const changed = (): void => setTheme((n) => n + 1);
    dark.addEventListener("change", changed);
    return () => dark.removeEventListener("change", changed);
  }, []);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new uPlot(options(props, element.clientWidth, () => top.current, setIndex), data, element);
    plot.current = made;
    const resized = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== made.width) made.setSize({ width, height: width < 480 ? 200 : 260 });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  useEffect(() => plot.current?.setData(data), [props.lines]);

  const last = data[0].length - 1;
  const at = index === null ? last : Math.min(index, last);
  const move = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 20, PageDown: at + 20, Home: 0, End: last };
    const step = steps[event.key];
    if (step === undefined || plot.current === null || last < 0) return;
    event.preventDefault();
    const next = Math.min(Math.max(step, 0), last);
    plot.current.setCursor({ left: plot.current.valToPos(data[0][next] ?? 0, "x"), top: 0 });
    setIndex(next);
  };
  const leave = (): void => {
    plot.current?.setCursor({ left: -10, top: -10 });
    setIndex(null);
  };
  const x = data[0][at];
  return (
    <>
      <div
        class="chart"
        ref={place}
        role="group"
        tabIndex={0}
        aria-label={`${props.label} The arrow keys move over the rows.`}
        onKeyDown={move}
        onMouseLeave={leave}
        onBlur={leave}
      />
      <ul class="legend" aria-live="off">
        {x !== undefined && <li>row {count(x)}</li>}
        {props.lines.map((line) => (
          <li key={line.name}>
            <span class={`swatch ${line.ink.slice(2)} ${line.dashed ? "dashed" : ""}`} aria-hidden="true" />
            {line.name} <b>{x === undefined ? "–" : shownAt(line, x)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}
