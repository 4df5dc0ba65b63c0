// Drives the page of the service in Chromium, with the real server: node service.mjs BINARY FOLDER [CHROMIUM]
// A model is made and taught, its curve grows, the server is killed and started again under the page, and the page goes on.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { check, finish, library, overflow, pageOf, shot, what as binary } from "./browser.mjs";
import { Server } from "./server.mjs";

const axe = readFileSync(library.resolve("axe-core/axe.min.js"), "utf8");
const dir = mkdtempSync(path.join(tmpdir(), "novikoff-page-"));
const server = await Server.start(binary, path.join(dir, "state"));
const wide = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 375, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

// while the server is down, or refuses, the browser says so in the console; a model that is left is not listened to any longer
let expected = null;
const usual = (text) => expected?.test(text) === true || text.endsWith("net::ERR_ABORTED");
const open = (options, base = server.base) => pageOf(options, (url) => url.startsWith(`${base}/`), usual);

// no violation of axe-core's rules; the policy of the page keeps scripts out, so it is evaluated by the debugger
async function accessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, help, nodes } of violations) check(false, `${name}: axe ${id}: ${help}: ${nodes.map((node) => node.html).join(" ").slice(0, 300)}`);
}

const fact = async (page, name) => {
  const text = await page.locator(".facts.wide > div", { has: page.getByText(name, { exact: true }) }).locator("dd").innerText();
  return Number(text.split(" ")[0].replaceAll(",", ""));
};
// waits until the page shows it; what is shown in the end is checked
async function shows(page, name, wanted) {
  const until = Date.now() + 60_000;
  let seen = NaN;
  while (Date.now() < until) {
    seen = await fact(page, name).catch(() => NaN);
    if (seen === wanted) return;
    await page.waitForTimeout(50);
  }
  check(false, `${name}: the page shows ${seen}, the model has ${wanted}`);
}
async function says(locator, text, name) {
  await locator.filter({ hasText: text }).first().waitFor({ timeout: 60_000 }).catch(async () => {
    check(false, `${name}: no ${text} in ${JSON.stringify(await locator.allInnerTexts())}`);
  });
}

// rows by a fixed generator: two words decide, a few labels are wrong, `flipped` makes all of them wrong
let random = 7;
const next = (below) => { random = (random * 48271) % 2147483647; return random % below; };
function rows(count, flipped = false) {
  return Array.from({ length: count }, () => {
    const features = { city: ["Oslo", "Rome", "Lima"][next(3)], amount: next(100) / 10 };
    let score = -1;
    for (let i = 0; i < 4; i++) { const word = next(20); features[`w${word}`] = 1; score += word % 2 === 0 ? 1 : -0.4; }
    const spam = (score > 0) !== (flipped || next(40) === 0);
    return { features, label: spam ? "spam" : "ham" };
  });
}
const teach = (list, name = "mail") => server.call("POST", `/v1/models/${name}/learn`, { rows: list });

// the list, without models, and a model made by the form
let page = await open({ ...wide, colorScheme: "light" });
const response = await page.goto(`${server.base}/`);
check(/default-src/.test(response.headers()["content-security-policy"] ?? ""), "the page has no content security policy");
await says(page.locator("main"), "There is no model yet", "empty list");
await accessible(page, "empty list");
await page.getByRole("link", { name: "Make one." }).click();
await page.getByLabel("Name", { exact: true }).fill("mail");
await page.getByLabel("Learner").fill("percepton");
await page.getByLabel("Labels", { exact: true }).selectOption("labels");
await page.getByLabel("The two labels").fill("ham, spam");
await accessible(page, "new model");
expected = /status of 422/;
await page.getByRole("button", { name: "Create" }).click();
await says(page.getByRole("alert"), "perceptron", "a learner that does not exist");
expected = null;
await page.screenshot({ path: shot("service-new") });
await page.getByLabel("Learner").fill("perceptron");
await page.getByRole("button", { name: "Create" }).click();
await page.getByRole("heading", { level: 1, name: "mail" }).waitFor();
await says(page.locator(".link"), "live", "a new model");
check((await server.call("GET", "/v1/models/mail")).options.labels?.join() === "ham,spam", "the labels of the form were not used");

// taught by the form, with the keyboard alone
await page.getByLabel("Features", { exact: true }).fill("w1=1\ncity=Oslo");
await page.getByLabel("Label, to teach it").fill("ham");
await page.keyboard.press("Tab");
await page.keyboard.press("Tab");
await page.keyboard.press("Enter");
await says(page.getByRole("status"), "Learned ham; it was taken for spam: a mistake. Row 1.", "teach");
await shows(page, "rows", 1);
await says(page.locator(".mistakes li").first(), "ham taken for spam", "the first mistake");

// a stream from elsewhere: the page follows, and its curve grows
const legend = page.locator(".legend").first();
let lengths = [];
for (let i = 1; i <= 5; i++) {
  await teach(rows(100));
  await shows(page, "rows", 1 + 100 * i);
  lengths.push(Number((await legend.locator("li").first().innerText()).replace(/\D/g, "")));
}
check(lengths.join() === "101,201,301,401,501", `the curve ends at ${lengths}`);
let model = await server.call("GET", "/v1/models/mail");
await shows(page, "mistakes", model.mistakes);
check(model.mistakes > 20, `only ${model.mistakes} mistakes: nothing to draw`);

// the bound is the certificate's, and above the mistakes
await says(page.locator(".certificate"), "over the first 501 rows", "the certificate");
const certificate = await server.call("GET", "/v1/models/mail/certificate");
check(certificate.seq === 501 && certificate.certificate?.holds === true, `the certificate: ${JSON.stringify(certificate).slice(0, 300)}`);
const sentence = await page.locator(".certificate b").innerText();
const [counted, bound] = sentence.split("≤").map((part) => Number(part.replace(/[^\d.]/g, "")));
check(counted === model.mistakes && bound >= certificate.certificate.bound && bound <= certificate.certificate.bound + 1, `${sentence} for ${JSON.stringify(certificate.certificate)}`);
const tables = page.getByText("As a table");
for (const table of await tables.all()) await table.click();
const early = (await page.locator("details table").first().locator("tbody tr").nth(1).innerText()).split(/\s+/);
check(Number(early[0]) < 200 && Number(early[2]) > 0, `the bound does not begin with the rows: ${early}`);
const last = (await page.locator("details table").first().locator("tbody tr").last().innerText()).split(/\s+/);
check(last[0] === "501" && Number(last[1]) === model.mistakes && Number(last[2]) >= model.mistakes, `the table ends in ${last}`);
// the curves are drawn: both colours are on the canvas
const inked = (page) => page.evaluate(() => {
  const canvas = document.querySelector(".chart canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const inks = ["--ink-1", "--ink-2"].map((ink) => getComputedStyle(document.documentElement).getPropertyValue(ink).trim());
  return inks.map((ink) => {
    const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(ink.slice(at, at + 2), 16));
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 30) count += 1;
    return count;
  });
});
const drawn = await inked(page);
check(drawn.every((count) => count > 100), `points of the curve and the bound: ${drawn}`);

// the arrow keys read the curve
await page.locator(".chart").first().focus();
await page.keyboard.press("Home");
check((await legend.innerText()).startsWith("row 1\n") || /^row 1\b/.test(await legend.innerText()), `Home shows ${await legend.innerText()}`);
await page.keyboard.press("End");
check(/^row 501\b/.test(await legend.innerText()), `End shows ${await legend.innerText()}`);

// features, mistakes, log
const { classes } = await server.call("GET", "/v1/models/mail/weights?top=20");
await says(page.locator("section", { hasText: "Top features" }).locator("tbody tr").first(), classes[0].weights[0].feature, "top features");
const { mistakes } = await server.call("GET", "/v1/models/mail/mistakes");
await says(page.locator(".mistakes > li").first(), `row ${mistakes[0].seq}`, "recent mistakes");
await says(page.locator(".mistakes > li").first(), `${mistakes[0].label} taken for ${mistakes[0].predicted}`, "recent mistakes");
await says(page.locator("section", { hasText: "Log and snapshot" }), "after the disk has the label", "the log");

// a row is asked for
const asked = { w2: 1, w4: 1, w6: 1, city: "Rome" };
const { predictions } = await server.call("POST", "/v1/models/mail/predict", { rows: [{ features: asked }] });
await page.getByLabel("Features", { exact: true }).fill(JSON.stringify(asked));
await page.getByRole("button", { name: "Predict" }).click();
await says(page.getByRole("status"), `${predictions[0].label} margin`, "predict");
expected = /status of 4\d\d/;
await page.getByLabel("Features", { exact: true }).fill("[[0, 1]]");
await page.getByRole("button", { name: "Predict" }).click();
await page.locator("[role=alert].notice").first().waitFor();
expected = null;
await page.getByLabel("Features", { exact: true }).fill('{"a":');
await page.getByRole("button", { name: "Predict" }).click();
await says(page.getByRole("alert"), "the row is not JSON", "a bad row");
await accessible(page, "model");
await overflow(page, "model");
await page.screenshot({ path: shot("service-model"), fullPage: true });

// the server is killed and started again under the page, which goes on
expected = /ERR_|Failed to load resource/;
await server.kill();
await says(page.locator(".link"), "not live", "a server that was killed");
await shows(page, "rows", 501);
await page.screenshot({ path: shot("service-killed") });
await server.start();
await says(page.locator(".link.live"), "live", "a server that was started again");
expected = null;
await shows(page, "rows", 501);
await shows(page, "mistakes", model.mistakes);
await page.getByLabel("Features", { exact: true }).fill("w2=1\nw4=1\nw6=1");
await page.getByLabel("Label, to teach it").fill("spam");
await page.getByRole("button", { name: "Teach" }).click();
await says(page.getByRole("status"), "Row 502.", "teach after the restart");
await teach(rows(498));
await shows(page, "rows", 1000);
model = await server.call("GET", "/v1/models/mail");
await shows(page, "mistakes", model.mistakes);
check(/^row 1,000\b/.test(await legend.innerText()), `after the restart the curve ends at ${await legend.innerText()}`);
await says(page.locator(".certificate"), "over the first 1,000 rows", "the certificate after the restart");
const spread = await page.locator("details table").first().locator("tbody tr th").allInnerTexts();
check(spread.filter((rows) => Number(rows.replace(",", "")) <= 501).length >= 4, `the curve lost its beginning: ${spread}`);

// drift: the labels turn
await teach(rows(1200));
await teach(rows(600, true));
await says(page.locator(".drift"), "Drift:", "drift");
await shows(page, "rows", 2800);
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: shot("service-drift"), fullPage: true });
await page.getByRole("link", { name: "Models" }).click();
await says(page.locator(".card"), "2,800", "the list");
await accessible(page, "list");
await page.screenshot({ path: shot("service-list") });

// the default model: the form says nothing of a learner. Its bound is that of the weighted majority, and its learners are listed with their weights
await page.goto(`${server.base}/#/new`);
await page.getByLabel("Name", { exact: true }).fill("many");
await page.getByLabel("Labels", { exact: true }).selectOption("labels");
await page.getByLabel("The two labels").fill("ham, spam");
await page.getByRole("button", { name: "Create" }).click();
await page.getByRole("heading", { level: 1, name: "many" }).waitFor();
await says(page.locator(".link.live"), "live", "a model of several learners");
check((await server.call("GET", "/v1/models/many")).spec === "auto", "the default model is not auto");
for (let i = 0; i < 10; i++) await teach(rows(200), "many");
await shows(page, "rows", 2000);
await says(page.locator(".certificate"), "over the first 2,000 rows", "the certificate of auto");
await says(page.locator(".certificate"), "theorem WM", "the certificate of auto");
model = await server.call("GET", "/v1/models/many");
const many = await server.call("GET", "/v1/models/many/certificate");
check(many.certificate?.holds === true && many.curve.length >= 16, `the certificate of auto: ${JSON.stringify(many).slice(0, 300)}`);
const { points } = await server.call("GET", "/v1/models/many/history");
for (const { seq, bound } of many.curve) {
  const before = points.filter((point) => point.seq <= seq).at(-1);
  check(before === undefined || before.mistakes <= bound, `after ${seq} rows the bound is ${bound}, below ${before?.mistakes} mistakes`);
}
await page.getByText("As a table").first().click();
const ended = (await page.locator("details table").first().locator("tbody tr").last().innerText()).split(/\s+/);
check(ended[0] === "2,000" && Number(ended[1]) === model.mistakes && Number(ended.at(-1)) >= model.mistakes, `the table of auto ends in ${ended}`);
const inks = await inked(page);
check(inks.every((count) => count > 100), `points of the curve and the bound of auto: ${inks}`);
const { experts } = await server.call("GET", "/v1/models/many/weights");
const listed = page.locator("section", { has: page.getByRole("heading", { name: "Learners" }) });
await says(listed, `After ${(2000).toLocaleString("en")} rows`, "the learners of auto");
const listing = await listed.locator("tbody tr").allInnerTexts();
check(listing.length === experts.length && experts.length > 1, `${listing.length} learners are listed, there are ${experts.length}`);
for (const { spec, mistakes, weight } of experts) {
  const line = listing.find((line) => line.startsWith(spec) && !/[\w.,@=-]/.test(line[spec.length] ?? "")) ?? "";
  check(line.includes(mistakes.toLocaleString("en")) && line.includes("%"), `${spec} made ${mistakes} mistakes, and has ${weight}: ${JSON.stringify(line)}`);
}
check(Math.abs(experts.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-9, "the weights of the learners do not sum to 1");
await accessible(page, "model of several learners");
await overflow(page, "model of several learners");
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: shot("service-auto"), fullPage: true });
await page.context().close();

// other screens
for (const [name, options] of [["dark", { ...wide, colorScheme: "dark" }], ["phone", phone], ["phone-dark", { ...phone, colorScheme: "dark" }]]) {
  page = await open(options);
  for (const [part, hash, title] of [["list", "#/", "Models"], ["new", "#/new", "New model"], ["model", "#/models/mail", "mail"], ["auto", "#/models/many", "many"]]) {
    await page.goto(`${server.base}/${hash}`);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    if (["model", "auto"].includes(part)) await says(page.locator(".certificate"), "rows", `${name}: the certificate`);
    if (part === "auto") await page.getByRole("heading", { name: "Learners" }).waitFor();
    await page.screenshot({ path: shot(`service-${name}-${part}`), fullPage: true });
    await accessible(page, `${name} ${part}`);
    await overflow(page, `${name} ${part}`);
  }
  await page.context().close();
}
await server.kill();

// tokens: asked for, kept by the tab alone, and held to their scopes
const tokens = path.join(dir, "tokens");
const [reader, admin] = ["r".repeat(40), "a".repeat(40)];
writeFileSync(tokens, `predict ${reader}\nadmin ${admin}\n`, { mode: 0o600 });
const guarded = await Server.start(binary, path.join(dir, "guarded"), "--model", "spam", "--tokens", tokens);
expected = /status of 40[13]/;
page = await open(wide, guarded.base);
await page.goto(`${guarded.base}/`);
await says(page.getByRole("alert"), "401", "no token");
const use = async (token) => { await page.getByLabel("Bearer token").fill(token); await page.getByRole("button", { name: "Use" }).click(); };
await page.getByText("Access token", { exact: true }).click();
await use(reader);
await says(page.locator(".card"), "spam", "the list with a token");
await page.getByRole("link", { name: "New model" }).click();
await page.getByLabel("Name", { exact: true }).fill("other");
await page.getByRole("button", { name: "Create" }).click();
await says(page.getByRole("alert"), "403", "a token without the scope");
await use(admin);
await page.getByRole("button", { name: "Create" }).click();
await page.getByRole("heading", { level: 1, name: "other" }).waitFor();
await says(page.locator(".link.live"), "live", "events with a token");
const kept = await page.evaluate(() => [Object.values(sessionStorage).join(), localStorage.length, document.cookie, location.href]);
check(kept[0] === admin && kept[1] === 0 && kept[2] === "" && !kept[3].includes(admin), `the token is kept in ${kept}`);
await page.screenshot({ path: shot("service-token") });
await page.context().close();
await guarded.kill();
check(!guarded.said.includes(admin) && !guarded.said.includes(reader), "a token is in the server's log");

rmSync(dir, { recursive: true, force: true });
await finish("the service looked at");
