// The entries: a report in one file, whose data is in the page, one of kept recordings, one of two runs, and a page
// that is fed live, which says where from.

import { startCompare } from "./compare/start";
import "./css/page.css";
import { startLive } from "./live";
import { startKept } from "./live/kept";
import type { ComparePage, KeptPage, Page } from "./model";
import { start } from "./start";

const data = document.getElementById("data");
const kept = document.getElementById("kept");
const compare = document.getElementById("compare");
const main = document.getElementById("page");
if (data?.textContent && main) start(JSON.parse(data.textContent) as Page, main);
else if (kept?.textContent && main) startKept(main, JSON.parse(kept.textContent) as KeptPage);
else if (compare?.textContent && main) startCompare(main, JSON.parse(compare.textContent) as ComparePage);
else if (main?.dataset.live) startLive(main, main.dataset.live);
