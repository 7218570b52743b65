import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../core/run/run-record.ts';
import { toTurnName } from '../core/run/turn.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { Clock } from '../ports/clock.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import type { ToolCallRow, TurnIndex } from '../wire/turn-texts.ts';
import { readPiece } from './read-piece.ts';

const FILE = 'live.jsonl';
/** The file of a turn grows no further. */
const MAX_BYTES = 1 << 20;
/** The size of the text is noted at most so often. */
const PERIOD_MS = 250;
const ID_LENGTH = 100;
const NAME_LENGTH = 80;
const SUMMARY_LENGTH = 200;

/** Writes `turns/<n>/live.jsonl` while turns run: calls of tools with their times, and how far their texts had grown. An index for faces, never the truth: nothing is decided on it. */
export interface TurnIndexWriter {
  readonly observe: (record: RunRecord) => void;
  readonly close: () => void;
}

/** One line of the file. `t`: time; of `text`: the bytes that its text has by then. */
type IndexLine =
  | { readonly t: number; readonly k: 'start'; readonly id: string; readonly name: string; readonly about: string }
  | { readonly t: number; readonly k: 'end'; readonly id: string; readonly ok: boolean | null }
  | { readonly t: number; readonly k: 'text'; readonly bytes: number }
  | { readonly t: number; readonly k: 'cut' };

interface OpenIndex {
  readonly fd: number;
  roomBytes: number;
  textBytes: number;
  notedAt: number;
  notedBytes: number;
}

/** @param turnsDir the `turns` folder of a run. A file that cannot be written is no reason for anything. */
export function openTurnIndex(turnsDir: string, clock: Pick<Clock, 'now'>): TurnIndexWriter {
  const open = new Map<string, OpenIndex | null>();
  const find = (name: string): OpenIndex | null => {
    const known = open.get(name);
    if (known !== undefined) return known;
    const made = tryOpen(join(turnsDir, name, FILE));
    open.set(name, made);
    return made;
  };
  const end = (name: string): void => {
    const index = open.get(name);
    open.delete(name);
    if (index == null) return;
    noteText(index, clock.now(), 0);
    quietly(() => closeSync(index.fd));
  };
  return {
    observe: (record) => {
      if (record.kind === 'input' && record.input.type === 'iteration-ended') end(toTurnName(record.input));
      if (record.kind !== 'live') return;
      const { event } = record;
      if (event.type !== 'tool-start' && event.type !== 'tool-end' && event.type !== 'text') return;
      const index = find(toTurnName(record));
      if (index === null) return;
      const t = clock.now();
      if (event.type === 'text') {
        index.textBytes += Buffer.byteLength(event.text);
        noteText(index, t, PERIOD_MS);
        return;
      }
      noteText(index, t, 0);
      const id = event.id.slice(0, ID_LENGTH);
      if (event.type === 'tool-end') write(index, { t, k: 'end', id, ok: event.ok });
      else
        write(index, { t, k: 'start', id, name: toPlainLine(event.name, NAME_LENGTH), about: toPlainLine(event.summary, SUMMARY_LENGTH) });
    },
    close: () => {
      for (const name of [...open.keys()]) end(name);
    },
  };
}

function tryOpen(path: string): OpenIndex | null {
  return tryOr(() => ({ fd: openSync(path, 'ax', 0o600), roomBytes: MAX_BYTES, textBytes: 0, notedAt: 0, notedBytes: 0 }), null);
}

function noteText(index: OpenIndex, t: number, periodMs: number): void {
  if (index.textBytes === index.notedBytes || t - index.notedAt < periodMs) return;
  index.notedAt = t;
  index.notedBytes = index.textBytes;
  write(index, { t, k: 'text', bytes: index.textBytes });
}

const CUT_BYTES = 100;

function write(index: OpenIndex, line: IndexLine): void {
  if (index.roomBytes <= 0) return;
  const text = `${JSON.stringify(line)}\n`;
  const bytes = Buffer.byteLength(text);
  const fits = bytes <= index.roomBytes - CUT_BYTES;
  index.roomBytes = fits ? index.roomBytes - bytes : 0;
  quietly(() => writeSync(index.fd, fits ? text : `${JSON.stringify({ t: line.t, k: 'cut' } satisfies IndexLine)}\n`));
}

/** What the index of a turn says; what cannot be read says nothing. */
export function readTurnIndex(turnFolder: string): TurnIndex {
  const calls = new Map<string, ToolCallRow>();
  const growth: { at: number; bytes: number }[] = [];
  let isCut = false;
  for (const [place, line] of readLines(join(turnFolder, FILE)).entries()) {
    const { t, k, id, name, about, ok, bytes } = line;
    if (typeof t !== 'number') continue;
    if (k === 'cut') isCut = true;
    if (k === 'text' && typeof bytes === 'number') growth.push({ at: t, bytes });
    if (typeof id !== 'string') continue;
    if (k === 'start' && typeof name === 'string' && typeof about === 'string') {
      // An agent may use an id twice: both calls are kept.
      const before = calls.get(id);
      if (before !== undefined) calls.set(`${id}\n${place}`, before);
      calls.delete(id);
      calls.set(id, { id, name, summary: about, startedAt: t, endedAt: null, ok: null });
    }
    const call = calls.get(id);
    if (k === 'end' && call !== undefined) calls.set(id, { ...call, endedAt: t, ok: typeof ok === 'boolean' ? ok : null });
  }
  return { calls: [...calls.values()].toSorted((one, other) => one.startedAt - other.startedAt), growth, isCut };
}

function readLines(path: string): readonly Readonly<Record<string, Json>>[] {
  const text = readPiece(path, { from: 0, count: MAX_BYTES })?.text ?? '';
  return text.split('\n').map(parseJson).filter(isJsonObject);
}
