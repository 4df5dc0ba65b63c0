// Numbers as people read them.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => whole.format(value);

/** For axes: 12,000 is 12K. */
export const compact = (value: number): string => (Math.abs(value) < 10_000 ? whole.format(value) : short.format(value));

/** A share as a percentage; a dash where there is none. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  const value = 100 * share;
  return `${value.toFixed(value < 10 ? 2 : 1)}%`;
}

/** A share of a count; a dash before the first row. */
export const rate = (part: number, all: number): string => percent(all > 0 ? part / all : null);

export function bytes(value: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit] ?? ""}`;
}

/** A weight or a margin: four significant digits. */
export function decimal(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/** A bound is never shown smaller than it is. */
export function upper(value: number): string {
  const digits = value < 1000 ? 10 : 1;
  return whole.format(Math.ceil(value * digits) / digits);
}

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** The name of the mistakes in the window. */
export const lastRows = (rows: number): string => (rows > 0 ? `mistakes, last ${count(rows)}` : "mistakes, last rows");
