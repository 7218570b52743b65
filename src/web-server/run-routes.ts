import { toRunFrame } from '../views/frame/run-frame.ts';
import { toTimeline } from '../views/frame/timeline.ts';
import { toEventPage, toTurnDetail, toTurnPage } from '../views/frame/turn-rows.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import type { TurnPart } from '../wire/turn-texts.ts';
import type { Query } from './query.ts';
import { Refused, toBadRequest } from './refused.ts';

/** What is read of a run. The value is answered as JSON. */
type ReadWatchedRun = (run: WatchedRun, query: Query) => unknown;

/** The routes below `/api/runs/<key>/` that only read, by name. */
export const RUN_READERS: Readonly<Record<string, ReadWatchedRun>> = {
  frame: (run, query) => toRunFrame(run.history, run.facts(), query.seq('seq')),
  turns: ({ history }, query) => toTurnPage(history, toPageOrder(query)),
  events: ({ history }, query) => toEventPage(history, toPageOrder(query)),
  timeline: ({ history }, query) => toTimeline(history, query.whole('slots', { min: 1, max: 2000, fallback: 200 })),
  picture: (run) => run.picture(),
  turn: ({ history }, query) => toTurnDetail(history, query.whole('place', PLACES), query.seq('seq')),
  text: (run, query) => run.text(requireTurn(query), toPart(query), toRange(query)),
  diff: async (run, query) => ({ patch: cutPatch(await run.diff(readTurn(query))) }),
  index: (run, query) => run.index(requireTurn(query)),
  evidence: (run, query) => run.evidence(query.whole('number', { ...PLACES, fallback: 0 }), toRange(query)),
  search: (run, query) => run.search(requireWords(query), query.whole('limit', { min: 1, max: 200, fallback: 50 })),
};

/** Those that start programs or read whole files: only few of them run at the same time. */
export const DEAR_READERS: ReadonlySet<string> = new Set(['diff', 'search', 'picture']);

const MOST = Number.MAX_SAFE_INTEGER;
const PLACES = { min: 0, max: MOST, fallback: 0 };
const MAX_TEXT_BYTES = 262_144;
const MAX_PATCH_CHARS = 4_000_000;
const PARTS: readonly TurnPart[] = ['prompt', 'output', 'stdout', 'stderr'];

function toPageOrder(query: Query) {
  const count = query.whole('count', { min: 0, max: MOST, fallback: 100 });
  return { from: query.whole('from', { min: -MOST, max: MOST, fallback: 0 }), count, seq: query.seq('seq') };
}

function toRange(query: Query) {
  return {
    from: query.whole('from', { min: -MOST, max: MOST, fallback: 0 }),
    count: query.whole('count', { min: 0, max: MAX_TEXT_BYTES, fallback: MAX_TEXT_BYTES }),
  };
}

/** A browser is not given more: whole trees that were added make patches of any size. */
function cutPatch(patch: string | null): string | null {
  if (patch === null || patch.length <= MAX_PATCH_CHARS) return patch;
  const cut = patch.slice(0, MAX_PATCH_CHARS);
  return `${cut.slice(0, cut.lastIndexOf('\n') + 1)}… ${patch.length - cut.length} more characters: ralph show --diff\n`;
}

function readTurn(query: Query): string | null {
  const turn = query.text('turn', 20);
  if (turn !== null && !/^\d{1,9}\.\d{1,9}$/.test(turn)) throw toBadRequest('A turn is named by its iteration and attempt, such as 7.1.');
  return turn;
}

function requireTurn(query: Query): string {
  const turn = readTurn(query);
  if (turn === null) throw toBadRequest('"turn" is missing.');
  return turn;
}

function toPart(query: Query): TurnPart {
  const name = query.text('part', 20);
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Refused(400, 'web-request', `"part" is one of ${PARTS.join(', ')}.`);
  return part;
}

function requireWords(query: Query): string {
  const words = query.text('words', 200);
  if (words === null) throw toBadRequest('"words" is missing.');
  return words;
}
