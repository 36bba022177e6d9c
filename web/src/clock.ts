// From time on the page (microseconds since time 0) to what a clock shows: the wall clock in one of
// several zones, or the JVM's uptime where the input has no other.

import type { Columns } from "./model";

export type Zone = "utc" | "local" | "log" | "unknown" | "uptime";

export interface Clock {
  wallMs: number | null;
  uptimeMs: number | null;
  zoneMinutes: number | null;
  /** The dates have no zone: they are shown as they stand in the log. */
  zoneless: boolean;
  /** Whose zone that is. */
  zoneOwner: "log" | "host";
}

export function clockOf(columns: Columns, zoneOwner: Clock["zoneOwner"] = "log"): Clock {
  return {
    wallMs: columns.origin_wall_ms,
    uptimeMs: columns.origin_uptime_ms,
    zoneMinutes: columns.zone_minutes,
    zoneless: columns.zoneless ?? false,
    zoneOwner,
  };
}

/** The zones that a person can choose from; the first is the one to begin with. */
export function zonesOf(clock: Clock): Zone[] {
  if (clock.wallMs === null) return ["uptime"];
  if (clock.zoneless) return ["unknown"];
  const zones: Zone[] = clock.zoneMinutes === null ? ["utc", "local"] : ["log", "utc", "local"];
  return clock.uptimeMs === null ? zones : [...zones, "uptime"];
}

export function zoneName(zone: Zone, clock: Clock): string {
  switch (zone) {
    case "utc":
      return "UTC";
    case "local":
      return "local time";
    case "log":
      return `${clock.zoneOwner}'s zone (${offsetText(clock.zoneMinutes ?? 0)})`;
    case "unknown":
      return "as in the log, no zone";
    case "uptime":
      return clock.uptimeMs === null ? "since the start" : "uptime";
  }
}

export function offsetText(minutes: number): string {
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const zoneText = (offset: number, zone: Zone): string => (zone === "unknown" ? "(no zone)" : offsetText(offset));

const two = (n: number): string => String(n).padStart(2, "0");

function offsetMinutes(wallMs: number, zone: Zone, clock: Clock): number {
  if (zone === "local") return -new Date(wallMs).getTimezoneOffset();
  return zone === "log" ? (clock.zoneMinutes ?? 0) : 0;
}

/** A date whose UTC fields are the fields of the wall clock in the zone. */
function shifted(us: number, zone: Zone, clock: Clock): { date: Date; offset: number } {
  const wallMs = (clock.wallMs ?? 0) + us / 1_000;
  const offset = offsetMinutes(wallMs, zone, clock);
  // Half a microsecond keeps 12.999999 from being cut to 12.999.
  return { date: new Date(wallMs + offset * 60_000 + 0.0005), offset };
}

const dateOf = (it: Date): string =>
  `${it.getUTCFullYear()}-${two(it.getUTCMonth() + 1)}-${two(it.getUTCDate())}`;
const minuteOf = (it: Date): string => `${two(it.getUTCHours())}:${two(it.getUTCMinutes())}`;
const secondOf = (it: Date): string => `${minuteOf(it)}:${two(it.getUTCSeconds())}`;
const milliOf = (it: Date): string => `${secondOf(it)}.${String(it.getUTCMilliseconds()).padStart(3, "0")}`;

const uptimeS = (us: number, clock: Clock): number => ((clock.uptimeMs ?? 0) + us / 1_000) / 1_000;

/** From here on nobody reads seconds any more. */
const LONG_S = 3_600;

/** As the log has it. */
const secondsText = (us: number, clock: Clock, digits: number): string => `${uptimeS(us, clock).toFixed(digits)} s`;

/** `11:22:54.979`: hours, which may be more than a day, minutes, seconds. */
function hoursText(us: number, clock: Clock, digits: number): string {
  // In whole steps of the last digit first, or 59.9996 s would become 60.000.
  const steps = 10 ** digits;
  const all = Math.round(uptimeS(us, clock) * steps);
  const [s, fraction] = [Math.floor(all / steps), all % steps];
  const whole = `${Math.floor(s / 3_600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return digits === 0 ? whole : `${whole}.${String(fraction).padStart(digits, "0")}`;
}

const uptimeText = (us: number, clock: Clock, digits: number): string => (uptimeS(us, clock) < LONG_S ? secondsText : hoursText)(us, clock, digits);

/** `19:36:10.773`, or `1012.442 s`, or `11:22:54.979` of an uptime of hours. */
export function timeOfDay(us: number, zone: Zone, clock: Clock): string {
  return zone === "uptime" ? uptimeText(us, clock, 3) : milliOf(shifted(us, zone, clock).date);
}

/** `2026-11-24 19:36:10.773 +01:00`, or `uptime 11:22:54.979 (40974.979 s)`, as it stands in the log. */
export function fullTime(us: number, zone: Zone, clock: Clock): string {
  if (zone === "uptime") {
    const log = uptimeS(us, clock) < LONG_S ? "" : ` (${secondsText(us, clock, 3)})`;
    return `${clock.uptimeMs === null ? "at" : "uptime"} ${uptimeText(us, clock, 3)}${log}`;
  }
  const { date, offset } = shifted(us, zone, clock);
  return `${dateOf(date)} ${milliOf(date)} ${zoneText(offset, zone)}`;
}

/** The JVM's uptime, or null where it is not known. */
export function uptime(us: number, clock: Clock): string | null {
  return clock.uptimeMs === null ? null : uptimeText(us, clock, 3);
}

/** `2026-11-24 19:35:59 – 19:36:19 UTC`. */
export function rangeText(from: number, to: number, zone: Zone, clock: Clock): string {
  if (zone === "uptime") {
    const text = uptimeS(to, clock) < LONG_S ? secondsText : hoursText;
    const digits = to - from < 10e6 ? 3 : 0;
    return `${text(from, clock, digits)} – ${text(to, clock, digits)}`;
  }
  const [a, b] = [shifted(from, zone, clock), shifted(to, zone, clock)];
  // Within a few seconds whole ones would be the same twice.
  const text = to - from < 5e6 ? milliOf : secondOf;
  const end = dateOf(a.date) === dateOf(b.date) ? text(b.date) : `${dateOf(b.date)} ${text(b.date)}`;
  return `${dateOf(a.date)} ${text(a.date)} – ${end} ${zoneText(a.offset, zone)}`;
}

const S = 1e6;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((it) => it),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((it) => it * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((it) => it * S),
  ...[1, 2, 5, 10, 15, 30].map((it) => it * 60 * S),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 672].map((it) => it * 3_600 * S),
];
/** Below a minute decimal, as seconds are written. */
const UPTIME_STEPS = [...Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((it) => it * 10 ** power)).flat().filter((it) => it < 60 * S), ...STEPS.filter((it) => it >= 60 * S)];

export interface Tick {
  us: number;
  label: string;
}

/** Marks of a time axis at round times of the clock, at most `most` of them. */
export function ticks(from: number, to: number, most: number, zone: Zone, clock: Clock): Tick[] {
  const steps = zone === "uptime" ? UPTIME_STEPS : STEPS;
  const step = steps.find((it) => (to - from) / it <= most) ?? steps[steps.length - 1]!;
  const offset = originOffset(from, zone, clock);
  const found: Tick[] = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to && found.length < 64; at += step) {
    found.push({ us: at, label: tickLabel(at, step, zone, clock, to) });
  }
  return found;
}

/** What to add to a time so that round numbers are round on the clock. */
function originOffset(us: number, zone: Zone, clock: Clock): number {
  if (zone === "uptime") return (clock.uptimeMs ?? 0) * 1_000;
  const wallMs = (clock.wallMs ?? 0) + us / 1_000;
  const day = 86_400_000;
  // Within the day only: whole microseconds since 1970 would lose their last digits.
  const origin = (((clock.wallMs ?? 0) + offsetMinutes(wallMs, zone, clock) * 60_000) % day + day) % day;
  return origin * 1_000;
}

function tickLabel(us: number, step: number, zone: Zone, clock: Clock, to: number): string {
  if (zone === "uptime") {
    const digits = step >= S ? 0 : Math.min(6, Math.ceil(-Math.log10(step / S)));
    // All labels of an axis are of one form.
    return (step < 60 * S && uptimeS(to, clock) < LONG_S ? secondsText : hoursText)(us, clock, digits);
  }
  const { date } = shifted(us, zone, clock);
  const midnight = secondOf(date) === "00:00:00";
  if (step >= 60 * S && midnight) return dateOf(date);
  if (step >= 60 * S) return minuteOf(date);
  if (step >= S) return secondOf(date);
  if (step >= 1_000) return milliOf(date);
  const fraction = Math.round(((((clock.wallMs ?? 0) * 1_000) % S) + us) % S);
  return `${secondOf(date).slice(-2)}.${String(fraction).padStart(6, "0")}`;
}
