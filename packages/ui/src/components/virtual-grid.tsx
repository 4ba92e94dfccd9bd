import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useRef } from "react";

export type GridColumn<Row> = {
  readonly name: string;
  readonly label: ReactNode;
  /** For CSS grid. */
  readonly width: string;
  readonly isSortable?: boolean;
  readonly show: (row: Row) => ReactNode;
};

export type GridSort = { readonly name: string; readonly isDescending: boolean };

type Props<Row> = {
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sort?: GridSort | undefined;
  readonly onSort?: (name: string) => void;
  readonly onOpen?: (row: Row) => void;
  readonly isChosen?: (row: Row) => boolean;
};

const ROW_HEIGHT = 34;

/** A table of any number of rows, of which only those in sight exist. Arrow keys move, Enter opens. */
export function VirtualGrid<Row>(props: Props<Row>) {
  const { label, columns, rows, keyOf, sort, onSort, onOpen, isChosen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (i) => {
      const row = rows[i];
      return row === undefined ? i : keyOf(row);
    },
  });
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="min-w-max">
        <div
          role="row"
          tabIndex={-1}
          style={template}
          className="sticky top-0 z-10 grid h-8 items-center gap-3 border-b border-line bg-surface px-3 text-xs font-medium text-soft"
        >
          {columns.map(({ name, label: title, isSortable }) => (
            <div
              key={name}
              role="columnheader"
              tabIndex={-1}
              aria-sort={sort?.name === name ? (sort.isDescending ? "descending" : "ascending") : undefined}
              className="flex min-w-0 items-center"
            >
              {isSortable && onSort ? (
                <button
                  type="button"
                  onClick={() => onSort(name)}
                  className="flex items-center gap-1 rounded hover:text-ink [&_svg]:size-3"
                >
                  {title}
                  {sort?.name === name && (sort.isDescending ? <ArrowDown /> : <ArrowUp />)}
                </button>
              ) : (
                title
              )}
            </div>
          ))}
        </div>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="rowgroup">
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                tabIndex={onOpen ? 0 : -1}
                data-row={keyOf(row)}
                onClick={(event) => !isControl(event.target) && onOpen?.(row)}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && event.target === event.currentTarget) onOpen?.(row);
                  moveFocus(event);
                }}
                style={{ ...template, height: ROW_HEIGHT, transform: `translateY(${item.start}px)` }}
                className={`absolute top-0 left-0 grid w-full items-center gap-3 border-b border-line/60 px-3 text-sm focus-visible:outline-offset-[-2px] ${onOpen ? "cursor-pointer" : ""} ${isChosen?.(row) ? "bg-selected" : "hover:bg-hover"}`}
              >
                {columns.map(({ name, show }) => (
                  <div key={name} role="cell" className="flex min-w-0 items-center">
                    {show(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** A click on a link or a box in a row is for that, not for the row. */
const isControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest("a, button, input, label") !== null;

function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const sibling =
    event.key === "ArrowDown" ? event.currentTarget.nextElementSibling : event.currentTarget.previousElementSibling;
  if (!(sibling instanceof HTMLElement)) return;
  event.preventDefault();
  sibling.focus();
}
