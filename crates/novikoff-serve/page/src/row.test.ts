import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRow, requestId } from "./row";

const plain = (text: string) => JSON.parse(JSON.stringify(parseRow(text)));

test("one name=value per line: numbers, categories, and words alone", () => {
  assert.deepEqual(plain("offer=1\n city = New York \n\nspam\nx=-2.5e3"), { offer: 1, city: "New York", spam: 1, x: -2500 });
  assert.deepEqual(plain("constructor=1\n__proto__=2"), JSON.parse('{"constructor":1,"__proto__":2}'));
});

test("JSON as in a body", () => {
  assert.deepEqual(plain('{"a":1,"words":["x","y"]}'), { a: 1, words: ["x", "y"] });
  assert.deepEqual(plain("[[1, 0.5]]"), [[1, 0.5]]);
});

test("what is wrong is said", () => {
  assert.throws(() => parseRow(" \n"), /no features/);
  assert.throws(() => parseRow('{"a":'), /not JSON/);
  assert.throws(() => parseRow("a=1\na=2"), /line 2: a is there twice/);
});

test("ids of requests differ", () => {
  assert.match(requestId(), /^page-[0-9a-f]{32}$/);
  assert.notEqual(requestId(), requestId());
});
