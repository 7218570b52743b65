import type { RunRecord } from '../../core/run/run-record.ts';
import { toPayloadText } from '../../core/values/json.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import { createEventFold, type EventRow } from '../fold/fold-events.ts';
import { createGraphFold } from '../fold/fold-graph.ts';
import { createProofFold } from '../fold/fold-proof.ts';
import { withProof } from '../fold/fold-run-view.ts';
import {
  createDraft,
  type HeadParts,
  joinHead,
  type RunDraft,
  type RunHead,
  type TurnDraft,
  toHeadParts,
  toTurnView,
} from '../fold/run-draft.ts';
import type { TurnView } from '../fold/run-view.ts';
import { takeEffect, takeInput } from '../fold/take-records.ts';
import { countUntil, createVersions } from '../fold/versions.ts';
import { toPlainLine } from '../text/plain-text.ts';
import type { RunHistory, TurnSpan } from './watched-run.ts';

const EXCERPT_LENGTH = 160;
/** Far more than any journal has. */
const END = Number.MAX_SAFE_INTEGER;

/** A history of nothing yet. */
export function createRunHistory(): RunHistory {
  const folds = createFolds();
  const { turns, heads, graph, events, eventSeqs, settle } = folds;
  const settled = <Result>(look: () => Result): Result => {
    settle();
    return look();
  };
  return {
    take: folds.take,
    lastSeq: folds.lastSeq,
    view: (seq = END) => settled(() => ({ ...heads.at(seq), turns: seq >= folds.lastSeq() ? turns.now : turns.at(seq) })),
    graph: (seq = END) => graph.view(seq),
    countTurns: (seq = END) => settled(() => turns.count(seq)),
    turn: (place, seq = END) => settled(() => turns.turn(place, seq)),
    span: (place) => settled(() => turns.span(place)),
    countEvents: (seq = END) => countUntil(eventSeqs, seq),
    events: (from, count) => events.slice(Math.max(0, from), Math.max(0, from) + count),
    changes: (seq) => settled(() => ({ turns: turns.changed(seq), firstEvent: countUntil(eventSeqs, seq) })),
  };
}

/** The folds of a history, and what they gave for each input. What the last input changed is put away when the next one comes, or when somebody looks. */
function createFolds() {
  const draft = createDraft();
  const proof = createProofFold();
  const graph = createGraphFold();
  const toEvents = createEventFold();
  const heads = createHeadVersions(draft);
  const turns = createTurnVersions();
  const events: ToldEvent[] = [];
  const eventSeqs: number[] = [];
  let lastSeq = 0;
  let isOpen = false;
  const settle = (): void => {
    if (!isOpen) return;
    isOpen = false;
    heads.set(lastSeq, withProof(toHeadParts(draft), proof.proof()));
    turns.set(lastSeq, draft.turns, draft.touched);
    draft.touched.clear();
  };
  const take = (record: RunRecord): void => {
    if (record.kind === 'live' || record.kind === 'gate-output' || record.kind === 'fleet' || record.kind === 'program') return;
    proof.take(record);
    graph.take(record);
    if (record.kind === 'input') {
      settle();
      lastSeq = record.seq;
      takeInput(draft, record.seq, record.input);
    } else takeEffect(draft, record.at, record.effect);
    isOpen = true;
    for (const row of toEvents(record)) {
      events.push(toToldEvent(row));
      eventSeqs.push(row.seq);
    }
  };
  return { take, settle, heads, turns, graph, events, eventSeqs, lastSeq: () => lastSeq };
}

function toToldEvent({ id, seq, ts, iteration, topic, source, target, causes, to, status, payload }: EventRow): ToldEvent {
  const excerpt = toPlainLine(toPayloadText(payload), EXCERPT_LENGTH);
  return { id, seq, ts, iteration, topic, source, target, causes, to, status, excerpt };
}

/** The heads of a history, part by part: most inputs change few of them. */
function createHeadVersions(draft: RunDraft) {
  const empty = toHeadParts(draft);
  const names = Object.keys(empty) as (keyof HeadParts)[];
  const columns = names.map((name) => ({ name, versions: createVersions<unknown>() }));
  let last = empty;
  return {
    set: (seq: number, parts: HeadParts): void => {
      const totals = shareSame(parts.totals, last.totals);
      const end = shareSame(parts.end, last.end);
      // One by one, by number: it is done for each input, and whatever goes through a list makes garbage of each step.
      for (let index = 0; index < columns.length; index += 1) {
        const { name, versions } = columns[index] as (typeof columns)[number];
        const value = name === 'totals' ? totals : name === 'end' ? end : parts[name];
        if (value !== last[name]) versions.set(seq, value);
      }
      last = totals === parts.totals && end === parts.end ? parts : { ...parts, totals, end };
    },
    at: (seq: number): RunHead => {
      const parts: Record<string, unknown> = { ...empty };
      for (const { name, versions } of columns) {
        const known = versions.at(seq);
        if (known !== undefined) parts[name] = known;
      }
      return joinHead(draft, parts as unknown as HeadParts);
    },
  };
}

/** The object before, where it has the same fields: it is kept once. */
function shareSame<Parts extends object | null>(now: Parts, before: Parts): Parts {
  if (now === null || before === null) return now;
  const fresh = now as Readonly<Record<string, unknown>>;
  const known = before as Readonly<Record<string, unknown>>;
  const names = Object.keys(fresh);
  return names.length === Object.keys(known).length && names.every((name) => fresh[name] === known[name]) ? before : now;
}

/** The turns of a history. */
interface TurnVersions {
  /** Those of the last input; the same list is changed by the next one. */
  readonly now: readonly TurnView[];
  readonly set: (seq: number, drafts: readonly TurnDraft[], touched: ReadonlySet<TurnDraft>) => void;
  readonly count: (seq: number) => number;
  readonly at: (seq: number) => readonly TurnView[];
  readonly turn: (place: number, seq: number) => TurnView | undefined;
  readonly span: (place: number) => TurnSpan | undefined;
  /** Places of those that were set behind an input. */
  readonly changed: (seq: number) => readonly number[];
}

/** What a turn was from an input on. A turn has few versions, so that each knows the one before it, which takes less room than lists. */
interface TurnVersion {
  readonly seq: number;
  readonly turn: TurnView;
  readonly before: TurnVersion | undefined;
}

function createTurnVersions(): TurnVersions {
  const last: TurnVersion[] = [];
  const now: TurnView[] = [];
  const starts: number[] = [];
  const ends: (number | null)[] = [];
  const log = { seqs: [] as number[], places: [] as number[] };
  const find = (place: number, seq: number): TurnView | undefined => {
    let version = last[place];
    while (version !== undefined && version.seq > seq) version = version.before;
    return version?.turn;
  };
  return {
    now,
    set: (seq, drafts, touched) => {
      for (const draft of touched) {
        const place = drafts.lastIndexOf(draft);
        // What was replaced by a turn in its place is no turn any more.
        if (place < 0) continue;
        const turn = toTurnView(draft);
        const known = last[place];
        if (known === undefined) starts[place] = seq;
        last[place] = { seq, turn, before: known?.seq === seq ? known.before : known };
        now[place] = turn;
        ends[place] = turn.status === 'running' ? null : (ends[place] ?? seq);
        log.seqs.push(seq);
        log.places.push(place);
      }
    },
    count: (seq) => countUntil(starts, seq),
    at: (seq) => last.slice(0, countUntil(starts, seq)).flatMap((_, place) => find(place, seq) ?? []),
    turn: find,
    span: (place) => {
      const startSeq = starts[place];
      return startSeq === undefined ? undefined : { startSeq, endSeq: ends[place] ?? null };
    },
    changed: (seq) => [...new Set(log.places.slice(countUntil(log.seqs, seq)))],
  };
}
