// `npm test`: what can be said of the page without a browser.

import "./drift.test";
import "./format.test";
import "./pace.test";
import "./row.test";
import "./sse.test";
