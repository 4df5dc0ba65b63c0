// What all scripts share: a browser, and pages that write down whatever goes wrong in them.
// Every script is run as: node SCRIPT.mjs WHAT FOLDER [CHROMIUM]

import { createRequire } from "node:module";
import path from "node:path";

export const [what, folder, executable = "/usr/bin/chromium"] = process.argv.slice(2);
// the libraries are installed beside the screenshots, not in the tree
export const library = createRequire(path.join(path.resolve(folder), "package.json"));
const { chromium } = library("playwright-core");

const wrong = [];
export const check = (holds, what) => { if (!holds) wrong.push(what); };
// what was wrong is said at the end, also where a script ends early
process.once("exit", () => { for (const what of wrong) console.error(what); });
export const shot = (name) => path.join(folder, `${name}.png`);

const browser = await chromium.launch({
  executablePath: executable,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// a page that writes down whatever goes wrong in it; `may` says whether a request is allowed, `expected` whether an error was
export async function pageOf(options, may, expected = () => false) {
  const context = await browser.newContext(options);
  // a machine that also builds is slow
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const note = (what) => check(expected(what), what);
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) note(`console: ${message.text()}`); });
  page.on("pageerror", (error) => check(false, `script: ${error.message}`));
  page.on("requestfailed", (request) => note(`failed request: ${request.url()} ${request.failure()?.errorText}`));
  page.on("request", (request) => check(may(request.url()), `fetched: ${request.url()}`));
  page.on("dialog", async (dialog) => { check(false, `dialog: ${dialog.message()}`); await dialog.dismiss(); });
  return page;
}

export async function overflow(page, what) {
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  check(widths[0] <= widths[1], `${what}: ${widths[0]} points wide on a screen of ${widths[1]}`);
}

// the end: says what was wrong
export async function finish(looked) {
  await browser.close();
  console.log(`${looked}; screenshots in ${folder}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
