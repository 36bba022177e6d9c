// Numbers with their units, written as on the terminal (`diagnose::text`): `1.62 s`, `5.8 ms`, `442 µs`,
// `1.3 GiB`, `4.1 %`. Times are in microseconds, as everywhere in the page.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Thousands are separated from 10,000 on. */
export function count(n: number): string {
  return Math.abs(n) < 10_000 ? String(Math.round(n)) : grouped.format(n);
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

function tenths(value: number, unit: string): string {
  const rounded = Math.round(value * 10) / 10;
  return rounded < 10 && rounded % 1 !== 0 ? `${rounded.toFixed(1)} ${unit}` : `${Math.round(value)} ${unit}`;
}

const two = (n: number): string => String(n).padStart(2, "0");

export function duration(us: number): string {
  if (us <= 0) return "0 s";
  if (us < 1) return `${Math.round(us * 1_000)} ns`;
  if (Math.round(us) < 1_000) return tenths(us, "µs");
  if (Math.round(us / 1_000) < 1_000) return tenths(us / 1_000, "ms");
  const s = us / 1e6;
  // Rounded in whole steps first: 9.995 is a little less in a double.
  const hundredths = Math.round(us / 1e4);
  const tenthsOfSeconds = Math.round(us / 1e5);
  if (hundredths < 1_000) return `${(hundredths / 100).toFixed(2)} s`;
  if (Math.round(s) < 120) {
    return us % 1e6 === 0 || tenthsOfSeconds >= 1_000 ? `${Math.round(s)} s` : `${(tenthsOfSeconds / 10).toFixed(1)} s`;
  }
  const whole = Math.round(s);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  const hours = Math.round(s / 3_600);
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

export const durationNs = (ns: number): string => duration(ns / 1_000);

/** A length on an axis, where the steps are round: `2 ms`, `0.5 ms`, `1.2 s`. */
export function axisLength(us: number): string {
  if (us === 0) return "0";
  const [value, unit] = us < 1_000 ? [us, "µs"] : us < 1e6 ? [us / 1_000, "ms"] : [us / 1e6, "s"];
  return `${Number(value.toPrecision(6))} ${unit}`;
}

const units: [number, string][] = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

export function bytes(n: number): string {
  const unit = units.find(([size]) => n >= size);
  if (!unit) return `${Math.round(n)} B`;
  const value = Math.round((n / unit[0]) * 10) / 10;
  return value % 1 === 0 || value >= 100 ? `${count(value)} ${unit[1]}` : `${value.toFixed(1)} ${unit[1]}`;
}

/** Never `100 %` or `0 %` for what is not quite all or nothing. */
export function percent(share: number): string {
  const it = Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share));
  const value = it * 100;
  if (it === 0 || it === 1) return `${value} %`;
  if (value < 0.1) return "<0.1 %";
  if (value >= 9.95 && value < 90) return `${value.toFixed(0)} %`;
  return `${Math.min(99.9, value).toFixed(1)} %`;
}

/** The last part of a path, for a label in a narrow place. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

/** Names that programs give, as `remembered-sets`, for a heading or a cell. */
export function words(name: string): string {
  return name.replace(/[-_]/g, " ");
}

/** Of fewer pauses a percentile is only the longest of them by another name. */
const LEAST: [string, number][] = [["p90", 10], ["p99", 100], ["p99.9", 1_000]];

export const hasPercentile = (name: string, count: number): boolean => LEAST.every(([of, least]) => of !== name || count >= least);

/** With a number and its unit on one line. */
export const glued = (text: string): string => text.replace(/(\d) (?=(?:ns|µs|ms|s|min|h|d|%|[kMGT]i?B)(?![\w]))/g, "$1\u00a0");
