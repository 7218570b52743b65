import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Page } from '../../wire/page.ts';

/** A long list of which only what is seen is in the page. The newest row is on top. */
interface RowWindowProps<Row> {
  /** What the list is called. */
  readonly label: string;
  readonly total: number;
  /** Names the list and its moment: where it is another, everything is loaded anew. */
  readonly subject: string;
  /** Grows when rows may have changed. */
  readonly version: number;
  readonly load: (from: number, count: number) => Promise<Page<Row>>;
  readonly rowOf: (row: Row, place: number) => ComponentChildren;
  /** The place of the row that is to be seen. */
  readonly selected: number | null;
}

const ROW_HEIGHT = 30;
/** Rows that are loaded at a time. */
const PAGE = 60;
/** Rows beside those that are seen. */
const MARGIN = 6;
/** Rows come and go so many at a time: to look for them at each frame of a scroll would be most of its work. */
const STEP = 4;

export function RowWindow<Row>({ label, total, subject, version, load, rowOf, selected }: RowWindowProps<Row>) {
  const box = useRef<HTMLElement>(null);
  // The first row that is seen, rounded down to a step.
  const [top, setTop] = useState(0);
  const height = useHeight(box);
  const first = Math.max(0, top - MARGIN);
  const last = Math.min(total, top + STEP + Math.ceil(height / ROW_HEIGHT) + MARGIN);
  const rows = useRows({ total, subject, version, load, firstShown: Math.max(0, total - last), shown: Math.max(0, last - first) });
  useStay(box, total, subject);
  useEffect(() => {
    const list = box.current;
    if (list === null || selected === null) return;
    const at = (total - 1 - selected) * ROW_HEIGHT;
    if (at < list.scrollTop) list.scrollTop = at;
    else if (at + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = at + ROW_HEIGHT - list.clientHeight;
  }, [selected, subject]);
  const places = Array.from({ length: Math.max(0, last - first) }, (_, index) => total - 1 - first - index);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="rows" ref={box} onScroll={() => setTop(toStep(box.current?.scrollTop ?? 0))} tabIndex={0} aria-label={label}>
      <ul style={{ height: `${total * ROW_HEIGHT}px` }} aria-label={`${label}, ${total}`}>
        {places.map((place) => (
          <RowItem key={place} row={rows.get(place)} place={place} at={total - 1 - place} rowOf={rowOf} />
        ))}
      </ul>
    </section>
  );
}

function toStep(scrollTop: number): number {
  return Math.floor(scrollTop / (ROW_HEIGHT * STEP)) * STEP;
}

interface RowItemProps<Row> extends Pick<RowWindowProps<Row>, 'rowOf'> {
  readonly row: Row | undefined;
  readonly place: number;
  /** How many rows are above it. */
  readonly at: number;
}

/** The same element as before while nothing of it has changed: at each step of a scroll most rows stay what they are. */
function RowItem<Row>({ row, place, at, rowOf }: RowItemProps<Row>) {
  return useMemo(
    () => (
      <li style={{ transform: `translateY(${at * ROW_HEIGHT}px)` }}>
        {row === undefined ? <span class="faint">…</span> : rowOf(row, place)}
      </li>
    ),
    [row, place, at, rowOf],
  );
}

/** How high the list is. It is told, not asked for at each frame, which would lay the page out once more. */
function useHeight(box: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(400);
  useLayoutEffect(() => {
    const list = box.current;
    if (list === null) return;
    const sizes = new ResizeObserver(() => setHeight(list.clientHeight));
    sizes.observe(list);
    return () => sizes.disconnect();
  }, []);
  return height;
}

/** New rows on top do not move what is being read. */
function useStay(box: { readonly current: HTMLElement | null }, total: number, subject: string): void {
  const before = useRef({ total, subject });
  useLayoutEffect(() => {
    const list = box.current;
    const added = total - before.current.total;
    if (list !== null && before.current.subject === subject && added > 0 && list.scrollTop > 0) list.scrollTop += added * ROW_HEIGHT;
    before.current = { total, subject };
  }, [total, subject]);
}

interface RowsOrder<Row> extends Pick<RowWindowProps<Row>, 'total' | 'subject' | 'version' | 'load'> {
  readonly firstShown: number;
  readonly shown: number;
}

/** The rows that have been loaded, by their place. What has been loaded stays until its new form is there. */
function useRows<Row>({ total, subject, version, load, firstShown, shown }: RowsOrder<Row>): ReadonlyMap<number, Row> {
  const kept = useRef({ subject, rows: new Map<number, Row>() });
  const [, redraw] = useState(0);
  if (kept.current.subject !== subject) kept.current = { subject, rows: new Map() };
  const from = Math.floor(firstShown / PAGE) * PAGE;
  const count = (Math.floor((firstShown + shown) / PAGE) + 1) * PAGE - from;
  useEffect(() => {
    if (total === 0) return;
    const { rows } = kept.current;
    let isOver = false;
    load(from, count).then(
      (page) => {
        if (isOver) return;
        for (const [index, row] of page.rows.entries()) rows.set(page.from + index, row);
        redraw((times) => times + 1);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [subject, version, total, from, count]);
  return kept.current.rows;
}
