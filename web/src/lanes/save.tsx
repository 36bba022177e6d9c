// The buttons that save the picture of what is opened.

import { useApp } from "../app";
import type { Range } from "./dense";
import { type Subject, downloadPng, downloadSvg } from "./export";

export function SaveButtons({ subject, ranges }: { subject: () => Subject; ranges: Range[] }) {
  const app = useApp();
  return (
    <>
      <button type="button" onClick={() => downloadSvg(app, subject(), ranges)} aria-label="save the picture as SVG">
        SVG
      </button>
      <button type="button" onClick={() => downloadPng(app, subject(), ranges)} aria-label="save the picture as PNG">
        PNG
      </button>
    </>
  );
}
