// The entries: a report in one file, whose data is in the page, one of kept recordings, and a page that is fed live,
// which says where from.

import "./css/page.css";
import { startLive } from "./live";
import { startKept } from "./live/kept";
import type { KeptPage, Page } from "./model";
import { start } from "./start";

const data = document.getElementById("data");
const kept = document.getElementById("kept");
const main = document.getElementById("page");
if (data?.textContent && main) start(JSON.parse(data.textContent) as Page, main);
else if (kept?.textContent && main) startKept(main, JSON.parse(kept.textContent) as KeptPage);
else if (main?.dataset.live) startLive(main, main.dataset.live);
