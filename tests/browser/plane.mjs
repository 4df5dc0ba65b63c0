// Opens the report of a run over two features: node plane.mjs REPORT.html FOLDER [CHROMIUM]
// The theorem is a formula, the slider shows every mistake, and paper and pages without a script show the end of the run.

import { check, data, finish, open, overflow, shot } from "./open.mjs";

const wide = { viewport: { width: 1280, height: 1400 } };
const [[id, { steps }]] = Object.entries(data.planes);

// what is drawn of the step: its lines, and whether the row of the mistake is marked
const drawn = (page, group) => page.evaluate(([id, group]) => {
  const g = document.querySelector(`#${id} .${group}`);
  const seen = getComputedStyle(g).display !== "none";
  const lines = [...g.querySelectorAll("line")].map((l) => ["x1", "y1", "x2", "y2"].map((a) => Number(l.getAttribute(a))));
  return { seen, lines, row: g.querySelectorAll("circle.row").length };
}, [id, group]);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

async function formula(page) {
  const found = await page.evaluate(() => {
    const math = document.querySelector(".formula math[display=block]");
    const box = math.getBoundingClientRect();
    const rows = [...math.querySelectorAll("mtr")].map((r) => r.textContent);
    const symbols = [...document.querySelectorAll(".symbols > div")].map((d) => [d.querySelector("dt").textContent, d.querySelector("dd").textContent]);
    return { width: box.width, height: box.height, rows, symbols, bound: document.querySelector(".sum b:last-of-type").textContent };
  });
  check(found.width > 80 && found.height > 40, `the formula is ${found.width} x ${found.height}`);
  check(found.rows.length === 3 && found.rows[2].includes(found.bound), `the formula ends in ${found.rows[2]}, the bound is ${found.bound}`);
  check(found.symbols.length >= 3 && found.symbols.every(([symbol, meaning]) => symbol.includes("=") && meaning.length > 5), `symbols: ${found.symbols}`);
}

let page = await open({ ...wide, colorScheme: "light" });
await formula(page);
await overflow(page, "plane");
const slider = page.locator(".steps input");
check(await slider.count() === 1, "there is no slider");
check(Number(await slider.getAttribute("max")) === steps.length - 1, "the slider does not reach all steps");
check(same((await drawn(page, "now")).lines, steps.at(-1).lines), "the slider does not begin at the end");
// by the keyboard, from the end to the first mistake
await slider.focus();
await page.keyboard.press("Home");
let now = await drawn(page, "now");
check(now.seen && same(now.lines, steps[0].lines), "Home does not show the first mistake");
check(now.row === 1, "the row of the mistake is not marked");
check(await page.locator(".steps output").innerText() === steps[0].said, "what is said is not that of the step");
check(await slider.getAttribute("aria-valuetext") === steps[0].said, "the slider does not say its step");
for (let i = 1; i < steps.length; i++) {
  await page.keyboard.press("ArrowRight");
  now = await drawn(page, "now");
  check(same(now.lines, steps[i].lines), `the arrow key does not show step ${i}`);
}
await page.keyboard.press("Home");
await page.locator(".plane").screenshot({ path: shot("plane-first") });
const final = await drawn(page, "final");
check(!final.seen && same(final.lines, steps.at(-1).lines), "the end is drawn beside the step");
// paper shows the end, whatever the slider shows
await page.emulateMedia({ media: "print" });
check((await drawn(page, "final")).seen && !(await drawn(page, "now")).seen, "paper does not show the end");
check(!(await slider.isVisible()), "paper has a slider");
check(await page.locator(".plane .end").isVisible(), "paper does not say what it shows");
await page.screenshot({ path: shot("plane-print"), fullPage: true });
await page.context().close();

page = await open({ ...wide, colorScheme: "dark" });
await page.locator(".plane").screenshot({ path: shot("plane-dark") });
await page.context().close();

page = await open({ viewport: { width: 375, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
await overflow(page, "plane on a phone");
await page.screenshot({ path: shot("plane-phone"), fullPage: true });
await page.context().close();

page = await open({ ...wide, javaScriptEnabled: false });
check(await page.locator(".plane svg .final line").count() === final.lines.length, "without scripts there is no line");
check(await page.locator(".plane .end").isVisible(), "without scripts the end is not said");
check(await page.locator(".steps").count() === 0, "without scripts there is a slider");
await page.context().close();

await finish(`${steps.length} steps looked at`);
