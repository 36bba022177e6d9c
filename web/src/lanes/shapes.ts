// The shapes that a picture of a pause is made of. The same list is painted on a canvas and written as SVG,
// so that what leaves the page is what was seen.

import { FONT, fitted } from "../canvas";
import { CLASS_COLOUR, PATTERN_PATH, type Pattern, canvasPattern, patternInk, patternWidth } from "../palette";

export type Shape =
  | { is: "rect"; x: number; y: number; width: number; height: number; fill: string; stroke?: string; pattern?: Pattern; alpha?: number }
  | { is: "text"; x: number; y: number; text: string; fill: string; anchor: "start" | "middle" | "end"; bold?: boolean; size?: number; room?: number; halo?: string }
  | { is: "line"; x0: number; y0: number; x1: number; y1: number; stroke: string; dash?: boolean; thick?: number }
  | { is: "head"; x: number; y: number; isUp: boolean; fill: string };

/** Without the characters that turn the direction of what follows: a name must not reorder its neighbours. */
const oneWay = (text: string): string => text.replace(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, "");

const fontOf = (shape: { bold?: boolean; size?: number }): string =>
  FONT.replace("11px", `${shape.bold ? "600 " : ""}${shape.size ?? 11}px`);

export function paintShapes(ctx: CanvasRenderingContext2D, shapes: Shape[], ratio: number): void {
  for (const shape of shapes) paintShape(ctx, shape, ratio);
}

function paintShape(ctx: CanvasRenderingContext2D, shape: Shape, ratio: number): void {
  switch (shape.is) {
    case "rect":
      return paintRect(ctx, shape, ratio);
    case "text": {
      ctx.font = fontOf(shape);
      ctx.fillStyle = shape.fill;
      ctx.textAlign = shape.anchor === "middle" ? "center" : shape.anchor;
      ctx.textBaseline = "alphabetic";
      const plain = oneWay(shape.text);
      const text = shape.room === undefined ? plain : fitted(ctx, plain, shape.room);
      if (text && shape.halo) {
        ctx.strokeStyle = shape.halo;
        ctx.lineWidth = 4;
        ctx.lineJoin = "round";
        ctx.strokeText(text, shape.x, shape.y);
        ctx.lineWidth = 1;
      }
      if (text) ctx.fillText(text, shape.x, shape.y);
      return;
    }
    case "line":
      ctx.strokeStyle = shape.stroke;
      ctx.lineWidth = shape.thick ?? 1;
      ctx.setLineDash(shape.dash ? [3, 3] : []);
      ctx.beginPath();
      ctx.moveTo(shape.x0, shape.y0);
      ctx.lineTo(shape.x1, shape.y1);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.lineWidth = 1;
      return;
    case "head":
      ctx.fillStyle = shape.fill;
      ctx.fill(new Path2D(headPath(shape)));
  }
}

function paintRect(ctx: CanvasRenderingContext2D, shape: Shape & { is: "rect" }, ratio: number): void {
  const { x, y, width, height } = shape;
  ctx.globalAlpha = shape.alpha ?? 1;
  if (shape.fill !== "none") {
    ctx.fillStyle = shape.fill;
    ctx.fillRect(x, y, width, height);
  }
  const pattern = shape.pattern && shape.pattern !== "plain" ? canvasPattern(ctx, shape.pattern, ratio) : null;
  if (pattern) {
    ctx.fillStyle = pattern;
    ctx.fillRect(x, y, width, height);
  }
  if (shape.stroke) {
    ctx.strokeStyle = shape.stroke;
    ctx.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), height - 1);
  }
  ctx.globalAlpha = 1;
}

const headPath = ({ x, y, isUp }: { x: number; y: number; isUp: boolean }): string =>
  isUp ? `M${x} ${y}l-3 5h6z` : `M${x} ${y}l-3 -5h6z`;

/** Text of any kind for XML: markup escaped, characters that XML does not allow left out. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

const n = (value: number): string => String(Math.round(value * 100) / 100);

/** Characters that fit, by the mean width of this font's letters: SVG has no measure of its own here. */
function shortened(text: string, room: number | undefined, size: number): string {
  if (room === undefined) return text;
  const most = Math.floor(room / (size * 0.54));
  if (text.length <= most) return text;
  return most < 4 ? "" : `${text.slice(0, most - 1)}…`;
}

export function shapesToSvg(shapes: Shape[], width: number, height: number, title: string): string {
  const used = new Set(shapes.flatMap((it) => (it.is === "rect" && it.pattern && it.pattern !== "plain" ? [it.pattern] : [])));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" font-family="system-ui, Segoe UI, Roboto, sans-serif">`,
    `<title>${escapeXml(title)}</title>`,
    "<defs>",
    ...[...used].map(patternSvg),
    "</defs>",
    ...shapes.map(shapeSvg),
    "</svg>",
    "",
  ].join("\n");
}

const patternSvg = (pattern: Pattern): string =>
  `<pattern id="${pattern}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="${PATTERN_PATH[pattern]}" stroke="${patternInk(pattern)}" stroke-width="${patternWidth(pattern)}" fill="none"/></pattern>`;

function shapeSvg(shape: Shape): string {
  switch (shape.is) {
    case "rect": {
      const place = `x="${n(shape.x)}" y="${n(shape.y)}" width="${n(shape.width)}" height="${n(shape.height)}"`;
      const fill = `<rect ${place} fill="${shape.fill}"${shape.stroke ? ` stroke="${shape.stroke}"` : ""}${shape.alpha ? ` opacity="${shape.alpha}"` : ""}/>`;
      return shape.pattern && shape.pattern !== "plain" ? `${fill}<rect ${place} fill="url(#${shape.pattern})"/>` : fill;
    }
    case "text": {
      const size = shape.size ?? 11;
      const text = escapeXml(shortened(oneWay(shape.text), shape.room, size));
      const halo = shape.halo ? ` stroke="${shape.halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"` : "";
      return `<text x="${n(shape.x)}" y="${n(shape.y)}" font-size="${size}"${shape.bold ? ' font-weight="600"' : ""} text-anchor="${shape.anchor}" fill="${shape.fill}"${halo}>${text}</text>`;
    }
    case "line":
      return `<path d="M${n(shape.x0)} ${n(shape.y0)}L${n(shape.x1)} ${n(shape.y1)}" stroke="${shape.stroke}" stroke-width="${shape.thick ?? 1}"${shape.dash ? ' stroke-dasharray="3 3"' : ""}/>`;
    case "head":
      return `<path d="${headPath({ x: Math.round(shape.x * 10) / 10, y: shape.y, isUp: shape.isUp })}" fill="${shape.fill}"/>`;
  }
}

/** The fill of unexplained time is its pattern alone. */
export const fillOf = (kind: keyof typeof CLASS_COLOUR): string => (kind === "unexplained" ? "none" : CLASS_COLOUR[kind]);
