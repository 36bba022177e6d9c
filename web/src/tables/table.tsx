// A table that sorts by its headers and scrolls inside itself.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Long, Name } from "../parts/text";

export interface Column<Row> {
  name: string;
  show: (row: Row) => ComponentChildren;
  /** What to sort by; without it the column does not sort. */
  key?: (row: Row) => number | string;
  isNumber?: boolean;
}

interface Order {
  column: number;
  isUp: boolean;
}

interface Props<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  id?: string;
  /** The column that the rows are sorted by as they come, falling. */
  sortedBy?: number;
  /** Whether the heading above says it already: the caption is then for those who do not see that. */
  isCaptionHidden?: boolean;
  /** So many rows are shown until all are asked for; on paper all are. */
  first?: number;
}

export function Table<Row>({ caption, columns, rows, id, sortedBy, isCaptionHidden, first = Infinity }: Props<Row>) {
  const [order, setOrder] = useState<Order | null>(sortedBy === undefined ? null : { column: sortedBy, isUp: false });
  const [isWhole, setWhole] = useState(false);
  const toggle = (column: number): void => {
    const isNumber = columns[column]!.isNumber ?? false;
    // Numbers are asked for from the largest, names from the first.
    setOrder(order?.column === column ? { column, isUp: !order.isUp } : { column, isUp: !isNumber });
  };
  return (
    <>
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table id={id} class="data">
        <caption class={isCaptionHidden ? "hidden" : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => {
              const isSorted = order?.column === index;
              return (
                <th scope="col" class={column.isNumber ? "number" : undefined} aria-sort={isSorted ? (order.isUp ? "ascending" : "descending") : undefined}>
                  {column.key ? (
                    <button type="button" onClick={() => toggle(index)}>
                      {column.name}
                      <span aria-hidden="true" class="arrow">
                        {isSorted ? (order.isUp ? "↑" : "↓") : ""}
                      </span>
                    </button>
                  ) : (
                    column.name
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, columns, order).map((row, index) => (
            <tr class={index >= first && !isWhole ? "more" : undefined}>
              {columns.map((column) => (
                <td class={column.isNumber ? "number" : undefined}>{column.show(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {rows.length > first && (
      <button type="button" class="link all-rows" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? `the first ${first}` : `all ${rows.length}`}
      </button>
    )}
    </>
  );
}

function sorted<Row>(rows: Row[], columns: Column<Row>[], order: Order | null): Row[] {
  const key = order === null ? undefined : columns[order.column]!.key;
  if (!key || !order) return rows;
  const sign = order.isUp ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return sign * (typeof x === "string" ? x.localeCompare(String(y), "en") : x - Number(y));
  });
}

/** A share as a bar in a cell. */
export function Bar({ share }: { share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(share > 0 ? 0.6 : 0, Math.min(1, share) * 100)} height="8" />
    </svg>
  );
}

/** Label and value in two columns. */
export function Facts({ title, facts }: { title: string; facts: [string, string | null][] }) {
  const known = facts.filter((it): it is [string, string] => it[1] !== null && it[1] !== "");
  if (known.length === 0) return null;
  return (
    <div class="block">
      <h3>{title}</h3>
      <table class="facts">
        <tbody>
          {known.map(([name, value]) => (
            <tr>
              <th scope="row">
                <Name text={name} />
              </th>
              <td>
                <Long text={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
