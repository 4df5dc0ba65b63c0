// The picture of README.md: node picture.mjs REPORT.html FOLDER CHROMIUM PICTURE.png

import { finish, open } from "./open.mjs";

const [, , , , , picture] = process.argv;
const page = await open({ viewport: { width: 960, height: 1200 }, deviceScaleFactor: 1.25, colorScheme: "light" });
await page.screenshot({ path: picture });
await finish(`${picture} was written`);
