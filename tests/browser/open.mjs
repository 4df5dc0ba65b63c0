// What the scripts share: a browser, and pages that write down whatever goes wrong in them.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

export const [report, folder, executable = "/usr/bin/chromium"] = process.argv.slice(2);
// the library is installed beside the screenshots, not in the tree
const { chromium } = createRequire(path.join(path.resolve(folder), "package.json"))("playwright-core");

const wrong = [];
export const check = (holds, what) => { if (!holds) wrong.push(what); };
const address = pathToFileURL(path.resolve(report)).href;
export const shot = (name) => path.join(folder, `${name}.png`);

const browser = await chromium.launch({
  executablePath: executable,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// a page that writes down whatever goes wrong in it
export async function open(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (message) => check(!["error", "warning"].includes(message.type()), `console: ${message.text()}`));
  page.on("pageerror", (error) => check(false, `script: ${error.message}`));
  page.on("requestfailed", (request) => check(false, `failed request: ${request.url()}`));
  page.on("request", (request) => check(request.url() === address, `fetched: ${request.url()}`));
  page.on("dialog", async (dialog) => { check(false, `dialog: ${dialog.message()}`); await dialog.dismiss(); });
  await page.goto(address);
  return page;
}

export async function overflow(page, what) {
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  check(widths[0] <= widths[1], `${what}: ${widths[0]} points wide on a screen of ${widths[1]}`);
}

export const html = readFileSync(report, "utf8");
export const data = JSON.parse(html.split('id="data">')[1].split("</script>")[0]);

// the end: says what was wrong
export async function finish(looked) {
  await browser.close();
  for (const what of wrong) console.error(what);
  console.log(`${looked}; screenshots in ${folder}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
