// The bar at the top: what the page is about, its sections, the time zone, the theme, printing, the keys.

import { goTo, useApp } from "../app";
import { type Zone, rangeText, zoneName, zonesOf } from "../clock";
import { usePart } from "../observable";
import { sectionsOf } from "../sections";
import { ThemeAndPrint } from "./theme";


export function TopBar() {
  const app = useApp();
  const { page, view, clock, store } = app;
  const zone = usePart(view, (it) => it.zone);
  usePart(app.calm, (it) => it.second);
  const zones = zonesOf(clock);
  const go = (event: Event, id: string): void => {
    event.preventDefault();
    goTo(id);
  };
  return (
    <>
      <a class="skip" href="#timeline" onClick={(event) => go(event, "timeline")}>
        to the time line
      </a>
      <b class="brand">whypause</b>
      <span class="context clip" title={page.answer.title}>
        {page.answer.title} · {rangeText(store.beginUs, store.endUs, zone, clock)}
      </span>
      <nav aria-label="sections">
        {sectionsOf(app).map(({ id, name }) => (
          <a href={`#${id}`} onClick={(event) => go(event, id)}>
            {name}
          </a>
        ))}
      </nav>
      <div class="tools">
        {zones.length > 1 && (
          <label>
            <span class="hidden">time zone</span>
            <select value={zone} onChange={(event) => view.set({ zone: event.currentTarget.value as Zone })} id="zone">
              {zones.map((it) => (
                <option value={it}>{zoneName(it, clock)}</option>
              ))}
            </select>
          </label>
        )}
        <ThemeAndPrint view={view} />
        <button type="button" aria-label="keys" onClick={() => view.set({ areKeysOpen: true })}>
          ?
        </button>
      </div>
    </>
  );
}
