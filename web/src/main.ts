// The entry for a report in one file: its data is in the page.

import "./css/page.css";
import type { Page } from "./model";
import { start } from "./start";

const data = document.getElementById("data");
const main = document.getElementById("page");
if (data?.textContent && main) start(JSON.parse(data.textContent) as Page, main);
