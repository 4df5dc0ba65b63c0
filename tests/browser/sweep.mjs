// Opens the report of a sweep: node sweep.mjs REPORT.html FOLDER [CHROMIUM]

import { check, data, finish, open, overflow, shot } from "./open.mjs";

const [chart] = Object.values(data.charts);
const lines = data.series[chart.series].filter((s) => s.kind === "line" && !s.name.startsWith("Novikoff"));
check(chart.name === "sweep" && chart.x.log && chart.y.log, `the first chart is ${chart.name}`);
check(lines.length === 2, `there are ${lines.length} learners`);
// rows of this kind are far from the worst case
for (const line of lines) check(line.x.every((x, i) => line.y[i] <= x), `${line.name} is above Novikoff's line`);

for (const [name, options] of [
  ["sweep", { viewport: { width: 1280, height: 900 } }],
  ["sweep-dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ["sweep-phone", { viewport: { width: 375, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }],
]) {
  const page = await open(options);
  await overflow(page, name);
  const texts = await page.locator(".canvas svg:visible text").allTextContents();
  for (const wanted of ["(R/margin)²", "mistakes", ...lines.map((s) => s.name)]) {
    check(texts.some((text) => text.trim() === wanted), `${name}: "${wanted}" is not in the chart`);
  }
  check(await page.locator("tbody tr").count() === lines[0].x.length, `${name}: not every data set is in the table`);
  await page.screenshot({ path: shot(name), fullPage: true });
  await page.context().close();
}

await finish("a sweep looked at");
