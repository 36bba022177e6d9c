// The entries: a report in one file, whose data is in the page, and a page that is fed live, which says where from.

import "./css/page.css";
import { startLive } from "./live";
import type { Page } from "./model";
import { start } from "./start";

const data = document.getElementById("data");
const main = document.getElementById("page");
if (data?.textContent && main) start(JSON.parse(data.textContent) as Page, main);
else if (main?.dataset.live) startLive(main, main.dataset.live);
