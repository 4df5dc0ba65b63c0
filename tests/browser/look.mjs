// Opens a report in Chromium and looks at it: node look.mjs REPORT.html FOLDER [CHROMIUM]
// Fails with one line for each thing that is wrong. Screenshots go to FOLDER.

import path from "node:path";
import { check, data, finish, folder, open, overflow, shot } from "./open.mjs";

// contrast of two colours as WCAG defines it
function contrast(a, b) {
  const light = (colour) => {
    const parts = colour.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255);
    const [r, g, b] = parts.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

async function colours(page, mode) {
  const found = await page.evaluate(() => {
    const colour = (element, name) => getComputedStyle(element)[name];
    const list = [["text", colour(document.body, "color")], ["kicker", colour(document.querySelector(".kicker"), "color")]];
    for (const text of document.querySelectorAll(".canvas svg text")) list.push(["chart text", colour(text, "fill")]);
    for (const line of document.querySelectorAll(".canvas svg polyline")) {
      if (!/grid|faint/.test(line.getAttribute("stroke"))) list.push(["curve", colour(line, "stroke")]);
    }
    return { ground: colour(document.body, "backgroundColor"), list };
  });
  for (const [what, colour] of found.list) {
    const least = what === "curve" ? 3 : 4.5;
    check(contrast(colour, found.ground) >= least, `${mode}: ${what} ${colour} on ${found.ground} has little contrast`);
  }
}

// every chart can be seen and has its axes named
async function charts(page, data) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  let seen = 0;
  for (const [id, chart] of Object.entries(data.charts)) {
    const svg = page.locator(`#${id}`);
    const box = await svg.boundingBox();
    if (box === null) continue; // the other scale, or the size for other screens
    seen += 1;
    check(box.width > 200 && box.height > 80, `${id} (${chart.name}): only ${box.width} x ${box.height}`);
    const texts = await svg.locator("text").allTextContents();
    for (const axis of [chart.x, chart.y]) {
      check(texts.some((t) => t.trim() === axis.label), `${id} (${chart.name}): axis "${axis.label}" is not named`);
    }
    check(texts.length >= 5, `${id} (${chart.name}): ${texts.length} texts`);
    const outside = await svg.evaluate((svg) => {
      const outer = svg.getBoundingClientRect();
      const out = (t) => { const b = t.getBoundingClientRect(); return b.left < outer.left - 1 || b.right > outer.right + 1 || b.top < outer.top - 1 || b.bottom > outer.bottom + 1; };
      return [...svg.querySelectorAll("text")].filter(out).map((t) => t.textContent.trim());
    });
    check(outside.length === 0, `${id} (${chart.name}): cut off: ${outside.join(", ")}`);
  }
  check(seen >= 8, `only ${seen} charts can be seen`);
}

// every certificate says what it is: a bound that holds, one of an expectation, or none; never an error
async function certificates(page) {
  const found = await page.evaluate(() => [...document.querySelectorAll(".certificate")].map((c) => [c.className, c.textContent]));
  for (const [kind, text] of found) {
    check(!kind.includes("broken"), `a bound that does not hold: ${text}`);
    check(kind.includes("expected") === text.includes("in expectation over the learner's coins"), `${kind}: ${text}`);
    check(kind.includes("vacuous") === text.includes("vacuous"), `${kind}: ${text}`);
  }
  check(found.some(([kind]) => kind.includes("holds")), "no certificate holds");
  check(found.some(([kind]) => kind.includes("expected")), "no bound is of an expectation");
}

// what is shown under the pointer is what the data says
async function hover(page, data, part) {
  for (const [id, chart] of Object.entries(data.charts)) {
    const svg = page.locator(`#${id}`);
    const series = data.series[chart.series];
    if (!(await svg.isVisible())) continue;
    await svg.scrollIntoViewIfNeeded();
    const box = await svg.boundingBox();
    const view = await svg.evaluate((svg) => svg.viewBox.baseVal.width);
    const [left, top, right, bottom] = chart.frame;
    const at = [left + part * (right - left), top + 0.5 * (bottom - top)];
    await page.mouse.move(box.x + (at[0] / view) * box.width, box.y + (at[1] / view) * box.width);
    const tip = page.locator("figure", { has: svg }).locator(".tip");
    if (!(await tip.isVisible())) { check(false, `${id} (${chart.name}): no values under the pointer`); continue; }
    const text = await tip.innerText();
    if (series.some((s) => s.kind === "boxes")) {
      const labels = series.flatMap((s) => s.boxes.map((b) => b[4]));
      check(labels.some((l) => text.includes(l)), `${id} (${chart.name}): "${text}" is in no box`);
    } else {
      const x = Number(await tip.locator("b").getAttribute("data-x"));
      const values = await tip.locator("strong").evaluateAll((list) => list.map((e) => Number(e.dataset.value)));
      const place = (axis, v) => { const f = axis.log ? Math.log10 : (v) => v; return (f(v) - f(axis.low)) / (f(axis.high) - f(axis.low)); };
      for (const value of values) {
        const has = series.some((s) => s.kind !== "boxes" && s.y.includes(value));
        check(has, `${id} (${chart.name}): ${value} is not in the data`);
      }
      if (chart.x.label === "trials") {
        const gap = Math.abs(place(chart.x, x) - part);
        check(gap < (chart.x.log ? 0.2 : 0.02), `${id} (${chart.name}): ${x} is not under the pointer`);
        const line = series.find((s) => s.x.includes(x) && values.includes(s.y[s.x.indexOf(x)]));
        check(line, `${id} (${chart.name}): no curve has its values at ${x}`);
      }
    }
    await page.mouse.move(1, 1);
  }
}


const wide = { viewport: { width: 1280, height: 900 } };
let page = await open({ ...wide, colorScheme: "light" });
await page.screenshot({ path: shot("top") });
await colours(page, "light");
await overflow(page, "wide");
await charts(page, data);
await certificates(page);
await hover(page, data, 0.3);
await page.evaluate(() => document.querySelectorAll(".to-log").forEach((input) => { input.checked = true; }));
await charts(page, data);
await hover(page, data, 0.8);
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: shot("log") });
await page.evaluate(() => document.querySelectorAll(".to-linear").forEach((input) => { input.checked = true; }));
await page.screenshot({ path: shot("light"), fullPage: true });
// the arrow keys show values too
const first = page.locator(".canvas svg:visible").first();
await page.keyboard.press("Tab");
await first.focus();
await page.keyboard.press("ArrowLeft");
check(await page.locator(".tip:visible").count() === 1, "the arrow keys show no values");
await page.keyboard.press("Escape");
check(await page.locator(".tip:visible").count() === 0, "Escape does not hide the values");
const pdf = await page.pdf({ path: path.join(folder, "report.pdf"), format: "A4" });
check(pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 20000, `the PDF has ${pdf.length} bytes`);
await page.context().close();

page = await open({ ...wide, colorScheme: "dark" });
await colours(page, "dark");
const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
check(contrast(ground, "rgb(255, 255, 255)") > 10, `dark: the ground is ${ground}`);
await page.screenshot({ path: shot("dark") });
await page.context().close();

page = await open({ viewport: { width: 375, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
await page.screenshot({ path: shot("phone") });
await overflow(page, "phone");
await charts(page, data);
await overflow(page, "phone, all open");
await page.locator(".canvas svg:visible").first().scrollIntoViewIfNeeded();
const touched = await page.locator(".canvas svg:visible").first().boundingBox();
await page.touchscreen.tap(touched.x + 0.6 * touched.width, touched.y + 0.6 * touched.height);
check(await page.locator(".tip:visible").count() === 1, "a finger shows no values");
await overflow(page, "phone, touched");
await page.screenshot({ path: shot("phone-all"), fullPage: true });
await page.context().close();

page = await open({ ...wide, javaScriptEnabled: false });
check(await page.locator(".canvas svg:visible").count() > 0, "without scripts there is no chart");
await page.context().close();

await finish(`${Object.keys(data.charts).length} charts looked at`);
