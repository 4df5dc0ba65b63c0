import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, decimal, percent, rate, upper } from "./format";

test("a bound is never shown smaller than it is", () => {
  for (const value of [0.01, 0.1, 252.94, 999.99, 1000.2, 123456.0001]) {
    const shown = Number(upper(value).replaceAll(",", ""));
    assert.ok(shown >= value && shown <= value + 1, `${value} is shown as ${shown}`);
  }
  assert.equal(upper(252.94), "253");
  assert.equal(upper(12.31), "12.4");
});

test("shares, sizes and weights", () => {
  assert.deepEqual([percent(0.01234), percent(0.25), percent(null), rate(1, 0)], ["1.23%", "25.0%", "–", "–"]);
  assert.deepEqual([bytes(999), bytes(1500), bytes(2e9)], ["999 bytes", "1.50 kB", "2.00 GB"]);
  assert.deepEqual([decimal(0), decimal(-1.234567), decimal(1.5e-7)], ["0", "-1.235", "1.50e-7"]);
});
