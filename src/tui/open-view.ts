import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import type { SteeringReceipt } from '../wire/steering.ts';
import { toChanges, type Writing } from './cells/changes.ts';
import type { Screen, ViewTerminal } from './cells/screen.ts';
import { createKeyReader, type Key } from './input/read-keys.ts';
import { type Order, pressKey, withMessage } from './press-key.ts';
import { createSceneReader, type SceneView } from './read-scene.ts';
import { toScreen } from './to-screen.ts';
import { FIRST_STATE, type ViewState } from './view-state.ts';

/** A view to be opened. */
export interface ViewOrder {
  readonly run: WatchedRun;
  readonly terminal: ViewTerminal;
  readonly writing: Writing;
  readonly isReadOnly: boolean;
  /** The time of day, for people. */
  readonly clock: (at: number) => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** What the last row says at the beginning; empty: the keys. */
  readonly greeting: string;
  /** True where the view closes by itself when the run has ended. */
  readonly closesAtEnd: boolean;
}

/** An open view. */
export interface View {
  /** Resolves when it is closed; rejects where the run cannot be read or shown any more. */
  readonly closed: Promise<void>;
  /** Closes it; the run goes on. */
  readonly close: () => void;
}

/** At most thirty frames a second. */
const FRAME_MS = 33;
const CLOCK_MS = 1000;
/** So long a word stands in the last row. */
const SAID_MS = 12_000;
/** How often a growing output is looked at. */
const GROWTH_MS = FRAME_MS;
/** So long an ESC may be the beginning of something. */
const ESC_MS = 40;
/** How often a frame is drawn while a long journal is read. */
const READING_FRAME_MS = 400;
/** So long the journal is read at once before a key is heard again. The first frame waits as long: most journals are read by then, and need no frame that says it. */
const READ_MS = 60;

/** Shows a run until somebody leaves. It only looks: whatever becomes of the view, nothing becomes of the run but what its keys order. */
export function openView(order: ViewOrder): View {
  const { run, terminal, now, writing } = order;
  let state: ViewState = withMessage(FIRST_STATE, order.greeting, false);
  let view: SceneView | null = null;
  let shown: Screen | null = null;
  const ending = createEnding();
  const { close, guard, isClosed } = ending;
  const journal = createJournalReading(run, isClosed);
  const reader = createSceneReader(run, {
    isReading: journal.isReading,
    clock: order.clock,
    isReadOnly: order.isReadOnly,
    onReady: () => frames.want(),
  });
  const draw = (): void => {
    view = reader.read(state, terminal.size(), now());
    const screen = toScreen(view.scene, view.layout);
    terminal.write(toChanges(shown, screen, writing));
    shown = screen;
    if (order.closesAtEnd && view.scene.frame.isNow && view.scene.frame.end !== null) close();
  };
  const frames = createFrames(() => guard(draw), { isBehind: terminal.isBehind, isReading: journal.isReading, isClosed });
  const tell = (text: string, isBad: boolean): void => {
    state = withMessage(state, text, isBad);
    frames.want();
  };
  const perform = (wanted: Order): void => {
    if (wanted.kind === 'leave') return close();
    if (wanted.kind === 'suspend') return terminal.suspend(() => perform({ kind: 'redraw' }));
    if (wanted.kind === 'redraw') {
      shown = null;
      return frames.want();
    }
    tell('Written …', false);
    steer(run, wanted).then(
      ({ text }) => tell(text, false),
      (error: unknown) => tell(toProblem(error), true),
    );
  };
  const press = (key: Key): void => {
    if (isClosed() || view === null) return;
    const pressed = pressKey(state, key, view.facts);
    state = pressed.state;
    // The next key of the same piece finds what this one made.
    view = reader.read(state, terminal.size(), now());
    if (pressed.order !== null) perform(pressed.order);
    frames.want();
  };
  listenToKeys(terminal, (key) => guard(() => press(key)));
  terminal.onResize(() => frames.want());
  terminal.onBack(() => perform({ kind: 'redraw' }));
  const refresh = (): void => guard(() => journal.go(frames.want));
  ending.add(run.onChange(refresh));
  const isOld = createMessageClock();
  ending.add(every(CLOCK_MS, () => (isOld(state.message) ? tell('', false) : frames.want())));
  ending.add(every(GROWTH_MS, () => reader.hasGrown() && frames.want()));
  return { closed: ending.closed, close };
}

/** Whether a word has stood in the place of the keys for long enough; asked again and again. */
function createMessageClock(): (message: ViewState['message']) => boolean {
  let last: { readonly message: ViewState['message'] | null; readonly at: number } = { message: null, at: 0 };
  return (message) => {
    if (last.message !== message) last = { message, at: performance.now() };
    return message.text !== '' && performance.now() - last.at > SAID_MS;
  };
}

/** The end of a view: it comes once, by somebody who closes it or by an error. */
function createEnding() {
  const timers = new Set<() => void>();
  let hasEnded = false;
  let settle = { resolve: (): void => undefined, reject: (_: unknown): void => undefined };
  const closed = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const end = (how: () => void): void => {
    if (hasEnded) return;
    hasEnded = true;
    for (const stop of timers) stop();
    how();
  };
  return {
    closed,
    add: (stop: () => void): void => void timers.add(stop),
    isClosed: () => hasEnded,
    close: () => end(() => settle.resolve()),
    guard: (call: () => void): void => {
      try {
        call();
      } catch (error) {
        end(() => settle.reject(error));
      }
    },
  };
}

function every(periodMs: number, call: () => unknown): () => void {
  const timer = setInterval(call, periodMs);
  return () => clearInterval(timer);
}

/** When frames are drawn. */
interface Pace {
  readonly isBehind: () => boolean;
  readonly isReading: () => boolean;
  readonly isClosed: () => boolean;
}

/**
 * Frames that are wanted are drawn once, at most thirty times a second, seldom while a long journal is read; while the terminal is behind, later. The one behind
 * the reading comes at once: somebody waits for it.
 */
function createFrames(draw: () => void, { isBehind, isReading, isClosed }: Pace): { readonly want: () => void } {
  let waiting: { readonly timer: NodeJS.Timeout; readonly dueAt: number } | null = null;
  let last = { at: Number.NEGATIVE_INFINITY, wasReading: false };
  const wait = (dueAt: number): void => {
    waiting = { timer: setTimeout(tick, Math.max(0, dueAt - performance.now())), dueAt };
  };
  const tick = (): void => {
    if (isClosed()) return;
    if (isBehind()) return wait(performance.now() + FRAME_MS);
    waiting = null;
    draw();
    last = { at: performance.now(), wasReading: isReading() };
  };
  return {
    want: () => {
      const dueAt = last.at + (isReading() ? READING_FRAME_MS : last.wasReading ? 0 : FRAME_MS);
      if (waiting !== null && waiting.dueAt <= dueAt) return;
      clearTimeout(waiting?.timer);
      wait(dueAt);
    },
  };
}

/** Reads on in the journal, a little at a time. */
function createJournalReading({ refresh, history }: WatchedRun, isClosed: () => boolean) {
  let isReading = false;
  let lastSeq = -1;
  const read = (want: () => void): void => {
    if (isClosed()) return;
    const wasReading = isReading;
    isReading = refresh(READ_MS);
    if (history.lastSeq() !== lastSeq || wasReading) want();
    lastSeq = history.lastSeq();
    if (isReading) setImmediate(read, want);
  };
  return {
    isReading: () => isReading,
    go: (want: () => void): void => {
      if (!isReading) read(want);
    },
  };
}

function listenToKeys(terminal: ViewTerminal, press: (key: Key) => void): void {
  const keys = createKeyReader();
  let settle: NodeJS.Timeout | undefined;
  terminal.onInput((text) => {
    clearTimeout(settle);
    for (const key of keys.take(text)) press(key);
    settle = setTimeout(() => {
      for (const key of keys.settle()) press(key);
    }, ESC_MS);
  });
}

function steer(
  { steer: by }: WatchedRun,
  order: Exclude<Order, { readonly kind: 'leave' | 'redraw' | 'suspend' }>,
): Promise<SteeringReceipt> {
  if (order.kind === 'tell') return by.tell({ text: order.text, when: order.when });
  if (order.kind === 'answer') return by.answer({ question: order.question, choice: order.choice });
  return by.stop(order.how);
}

function toProblem(error: unknown): string {
  return isRalphError(error) ? [error.message, error.fix].filter((part) => part !== undefined).join(' ') : toErrorMessage(error);
}
