import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo, type ReactNode, useCallback, useEffect, useRef } from "react";

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
    overscan: 10,
    // Rows may come a frame late; a browser that must draw before it may scroll stutters.
    useFlushSync: false,
    getItemKey: (i) => {
      const row = rows[i];
      return row === undefined ? i : keyOf(row);
    },
  });
  const latestOpen = useRef(onOpen);
  useEffect(() => {
    latestOpen.current = onOpen;
  });
  const open = useCallback((row: Row) => latestOpen.current?.(row), []);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="min-w-max">
        <div
          role="row"
          tabIndex={-1}
          style={templateOf(columns)}
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
              <GridRow
                key={item.key}
                id={keyOf(row)}
                row={row}
                index={item.index}
                top={item.start}
                columns={columns}
                isChosen={isChosen?.(row) ?? false}
                onOpen={onOpen === undefined ? undefined : open}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const templateOf = (columns: readonly { readonly width: string }[]) => ({
  gridTemplateColumns: columns.map(({ width }) => width).join(" "),
});

type RowProps<Row> = {
  readonly id: string;
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly columns: readonly GridColumn<Row>[];
  readonly isChosen: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
};

/** Kept as it is while it is scrolled by: only rows that come into sight are made. */
const GridRow = memo(function GridRow<Row>({ id, row, index, top, columns, isChosen, onOpen }: RowProps<Row>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={onOpen ? 0 : -1}
      data-row={id}
      onClick={(event) => !isControl(event.target) && onOpen?.(row)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) onOpen?.(row);
        moveFocus(event);
      }}
      style={{ ...templateOf(columns), height: ROW_HEIGHT, transform: `translateY(${top}px)` }}
      className={`absolute top-0 left-0 grid [contain:strict] w-full items-center gap-3 border-b border-line/60 px-3 text-sm focus-visible:outline-offset-[-2px] ${onOpen ? "cursor-pointer" : ""} ${isChosen ? "bg-selected" : "hover:bg-hover"}`}
    >
      {columns.map(({ name, show }) => (
        <div key={name} role="cell" className="flex min-w-0 items-center">
          {show(row)}
        </div>
      ))}
    </div>
  );
}) as <Row>(props: RowProps<Row>) => ReactNode;

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
