// What the scripts about reports share: the report, its data, and how it is opened.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";
import { pageOf, what as report } from "./browser.mjs";

export { check, finish, folder, overflow, shot } from "./browser.mjs";

const address = pathToFileURL(path.resolve(report)).href;

export async function open(options) {
  const page = await pageOf(options, (url) => url === address);
  await page.goto(address);
  return page;
}

export const html = readFileSync(report, "utf8");
export const data = JSON.parse(html.split('id="data">')[1].split("</script>")[0]);
