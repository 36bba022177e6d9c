// The plane of the time line: time to x, length to y, and the marks of both axes.

import { axisLength } from "../format";

/** Room for the labels of lengths; the heap chart has the same. */
export const GUTTER = 54;
export const RIGHT = 8;

export interface Plane {
  left: number;
  width: number;
  top: number;
  height: number;
  fromUs: number;
  toUs: number;
  isLog: boolean;
  /** Lengths at the foot and at the top. */
  lowUs: number;
  highUs: number;
}

export const xOf = (plane: Plane, us: number): number =>
  plane.left + ((us - plane.fromUs) / (plane.toUs - plane.fromUs)) * plane.width;

export const usOf = (plane: Plane, x: number): number =>
  plane.fromUs + ((x - plane.left) / plane.width) * (plane.toUs - plane.fromUs);

/** Height above the foot; never so low that a pause is not seen. */
export function heightOf(plane: Plane, lengthUs: number): number {
  const share = plane.isLog
    ? Math.log(lengthUs / plane.lowUs) / Math.log(plane.highUs / plane.lowUs)
    : lengthUs / plane.highUs;
  return Math.max(2, Math.min(1, share) * plane.height);
}

/** The foot of a logarithmic axis: the decade below nearly all pauses, at least two decades below the top. */
export function logFoot(shortUs: number, longestUs: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(1, shortUs)));
  return Math.max(1, Math.min(decade, 10 ** Math.floor(Math.log10(Math.max(100, longestUs)) - 2)));
}

/** The next of 1, 2, 5, 10, … that is not below. */
export function roundUp(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(1e-3, value)));
  return ([1, 2, 5].find((it) => it * decade >= value) ?? 10) * decade;
}

export function lengthMarks(plane: Plane): { us: number; label: string }[] {
  const marks: number[] = [];
  if (plane.isLog) {
    for (let at = plane.lowUs; at <= plane.highUs; at *= 10) marks.push(at);
    marks.shift();
  } else {
    const step = roundUp(plane.highUs / 5);
    for (let at = step; at <= plane.highUs; at += step) marks.push(at);
  }
  return marks.map((us) => ({ us, label: axisLength(us) }));
}
