import { render } from "preact";
import { App } from "./view/App";

const place = document.getElementById("page");
if (place !== null) render(<App />, place);
