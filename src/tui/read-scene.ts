import { toRunFrame } from '../views/frame/run-frame.ts';
import { toTimeline } from '../views/frame/timeline.ts';
import { toTurnDetail } from '../views/frame/turn-rows.ts';
import type { FrameFacts, WatchedRun } from '../views/frame/watched-run.ts';
import type { RunFrame } from '../wire/run-frame.ts';
import type { TimelineSlot } from '../wire/timeline-slot.ts';
import type { Size } from './cells/screen.ts';
import { findPanelPlace, type ScreenLayout } from './layout.ts';
import { toTimelineColumns } from './panels/bottom.ts';
import type { PressFacts } from './press-key.ts';
import { listEvents, listTurns } from './read-rows.ts';
import { createTextReader } from './read-text.ts';
import { NO_TEXT, type Scene, toChosenGate } from './scene.ts';
import { layOutScene } from './to-screen.ts';
import { PANELS, type ViewState } from './view-state.ts';

/** How scenes are made. */
export interface SceneSettings {
  /** The time of day, for people. */
  readonly clock: (at: number) => string;
  /** Nobody may steer. */
  readonly isReadOnly: boolean;
  /** Whether there is more in the journal than was read so far. Default: there is not. */
  readonly isReading?: () => boolean;
  /** Called when something that took longer is there. */
  readonly onReady: () => void;
}

/** A scene with its layout, and what keys may depend on in it. */
export interface SceneView {
  readonly scene: Scene;
  readonly layout: ScreenLayout;
  readonly facts: PressFacts;
}

/** Makes scenes of a run. */
export interface SceneReader {
  readonly read: (state: ViewState, size: Size, now: number) => SceneView;
  /** Whether the output that was shown last has grown since. */
  readonly hasGrown: () => boolean;
}

/** What is known beside the journal is looked up no more often. */
const FACTS_MS = 250;
/** The timeline of a long run is made no more often. */
const TIMELINE_MS = 500;

export function createSceneReader(run: WatchedRun, { clock, isReadOnly, isReading = () => false, onReady }: SceneSettings): SceneReader {
  const texts = createTextReader(run, onReady);
  const frameAt = createFrameReader(run);
  const timelineOf = createTimelineReader(run);
  let grown: { readonly turn: string; readonly bytes: number } | null = null;
  const bytesOf = (turn: string): number => run.text(turn, 'output', { from: -1, count: 1 })?.totalBytes ?? 0;

  const read: SceneReader['read'] = (state, size, now) => {
    const frame = frameAt(state.seq, now);
    const whyNot = toWhyNot(isReadOnly, state);
    const layout = layOutScene({ frame, state, now, clock, whyNot }, size);
    const order = { seq: frame.seq, filter: state.filter.toLowerCase() };
    const [turns, events] = [listTurns(run.history, order), listEvents(run.history, order)];
    const chosen = turns.move(state.turn, 0);
    const detail = chosen === null ? null : toTurnDetail(run.history, chosen, frame.seq);
    const room = findPanelPlace(layout, PANELS.turn);
    const at = frame.isNow ? null : frame.at;
    const text =
      room === null || detail === null
        ? NO_TEXT
        : texts.read({
            ...state,
            detail,
            filter: order.filter,
            at,
            now,
            room: { columns: room.columns - 1, rows: Math.max(1, room.rows - 1) },
          });
    const isGrowing = detail?.row.status === 'running' && state.tab === 'output' && room !== null && frame.isNow;
    grown = isGrowing ? { turn: detail.row.name, bytes: bytesOf(detail.row.name) } : null;
    const rowsOf = (panel: typeof PANELS.turns | typeof PANELS.events): number => findPanelPlace(layout, panel)?.rows ?? 0;
    const draft = { frame, state, isReading: isReading(), now, clock, detail, text, whyNot, gateText: NO_TEXT };
    const number = state.page === 'gate' ? (toChosenGate(draft)?.number ?? null) : null;
    const scene: Scene = {
      ...draft,
      gateText:
        number === null ? NO_TEXT : texts.readGate(number, state.scroll, { columns: size.columns, rows: Math.max(1, size.rows - 3) }),
      turns: turns.show(state.turn, rowsOf(PANELS.turns)),
      events: events.show(state.event, rowsOf(PANELS.events)),
      timeline: timelineOf(toTimelineColumns(size.columns), now),
    };
    return { scene, layout, facts: toPressFacts(run, { scene, layout, isReadOnly, moveTurn: turns.move, moveEvent: events.move }) };
  };
  return { read, hasGrown: () => grown !== null && bytesOf(grown.turn) !== grown.bytes };
}

function toWhyNot(isReadOnly: boolean, { seq }: ViewState): string | null {
  if (isReadOnly) return 'This view only reads (--read-only).';
  return seq === null ? null : 'This is the past: L goes back to now.';
}

interface SceneParts {
  readonly scene: Scene;
  readonly layout: ScreenLayout;
  readonly isReadOnly: boolean;
  readonly moveTurn: PressFacts['moveTurn'];
  readonly moveEvent: PressFacts['moveEvent'];
}

function toPressFacts({ history }: WatchedRun, { scene, layout, isReadOnly, moveTurn, moveEvent }: SceneParts): PressFacts {
  const { frame, state, text, gateText, whyNot } = scene;
  return {
    lastSeq: frame.lastSeq,
    seq: frame.seq,
    turnStarts: () => Array.from({ length: history.countTurns() }, (_, place) => history.span(place)?.startSeq ?? 0),
    moveTurn,
    moveEvent,
    turnOfEvent: () => {
      const place = moveEvent(state.event, 0);
      const event = place === null ? undefined : history.events(place, 1)[0];
      if (event === undefined) return null;
      for (let turn = history.countTurns(frame.seq) - 1; turn >= 0; turn -= 1) {
        const known = history.turn(turn, frame.seq);
        if (known?.iteration === event.iteration && known.hat === event.source) return turn;
      }
      return null;
    },
    gates: frame.evidence.length,
    hasGateOutput: (toChosenGate(scene)?.number ?? null) !== null,
    open: frame.questions.filter(({ answer }) => answer === null),
    maxScroll: state.page === 'gate' ? gateText.maxScroll : state.page === 'keys' ? 40 : text.maxScroll,
    textRows: Math.max(2, findPanelPlace(layout, PANELS.turn)?.rows ?? layout.rows - 3),
    whyNot,
    isReadOnly,
    isUnderWay: frame.end === null,
  };
}

/** A frame is made again only where something of it may differ: an input, what is known beside the journal, the second of its clocks. */
function createFrameReader(run: WatchedRun): (seq: number | null, now: number) => RunFrame {
  let facts: FrameFacts | null = null;
  let factsAt = 0;
  let last: { readonly key: string; readonly frame: RunFrame } | null = null;
  return (seq, now) => {
    if (facts === null || now - factsAt >= FACTS_MS || now < factsAt) {
      facts = run.facts();
      factsAt = now;
      last = seq === null ? null : last;
    }
    const key = `${seq ?? 'now'} ${run.history.lastSeq()} ${seq === null ? Math.floor(now / 1000) : ''}`;
    if (last?.key !== key) last = { key, frame: toRunFrame(run.history, { ...facts, now }, seq ?? undefined) };
    return last.frame;
  };
}

function createTimelineReader({ history }: WatchedRun): (slots: number, now: number) => readonly TimelineSlot[] {
  let last: { readonly slots: number; readonly lastSeq: number; readonly at: number; readonly timeline: readonly TimelineSlot[] } | null =
    null;
  return (slots, now) => {
    const lastSeq = history.lastSeq();
    const isFresh = last !== null && last.slots === slots && (last.lastSeq === lastSeq || (lastSeq > 1000 && now - last.at < TIMELINE_MS));
    if (!isFresh || last === null) last = { slots, lastSeq, at: now, timeline: toTimeline(history, slots) };
    return last.timeline;
  };
}
