import type { Sender } from '../../core/events/event.ts';
import { EXTERNAL } from '../../core/events/reserved.ts';
import { matchesTopic } from '../../core/events/topics.ts';
import type { Effect, EventPublish, EventReject } from '../../core/run/effects.ts';
import type { IterationSpawned } from '../../core/run/inputs.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { type Handlers, handle } from '../../core/values/handlers.ts';
import type { Json } from '../../core/values/json.ts';
import type { ToldEvent } from '../../wire/told-event.ts';

/**
 * What became of an event.
 * - `routed`: somebody gets it. `safety-net`: no hat takes it, so Ralph gets it. `terminal`: it needs no taker.
 * - `undelivered`: the run ended first; after a limit or a stop it waits for a resume (`ralph events` says so, once the end is known). `recorded`: written down for the log, nobody gets it.
 * - `refused`: its author may not publish it. `withdrawn`: written by a turn that was interrupted.
 */
export type EventStatus = 'routed' | 'safety-net' | 'terminal' | 'undelivered' | 'recorded' | 'refused' | 'withdrawn';

/** One line of `ralph events --format json`. */
export interface EventRow extends Omit<ToldEvent, 'excerpt' | 'status'> {
  /** Version of this record. */
  readonly v: 1;
  /** The person who published it from outside, and by what they were known; `null` for everybody else. */
  readonly sender: Sender | null;
  /** The worker of a fleet that had the turn of which it came; `null` for every other event. */
  readonly worker: string | null;
  readonly payload: Json;
  readonly status: EventStatus;
}

/**
 * Makes the rows of a run's records, which are to be given to it from the first on: everything that was published or refused, by whomever; none for
 * most records.
 */
export function createEventFold(): (record: RunRecord) => readonly EventRow[] {
  const handed: Handed = new Map();
  return (record) => {
    if (record.kind === 'input' && record.input.type === 'iteration-spawned') takeWorker(handed, record.input);
    if (record.kind !== 'effect') return [];
    return handle(HANDLERS, record.effect, record, handed);
  };
}

/** The ids of the events that each iteration was handed, and the worker that had it last. */
type Handed = Map<number, { readonly ids: readonly string[]; readonly worker: string | null }>;
/** What an event came of. */
type EventOrigin = Pick<EventRow, 'causes' | 'worker'>;

function takeWorker(handed: Handed, { iteration, ...input }: IterationSpawned): void {
  const worker = input.worker ?? null;
  const known = handed.get(iteration);
  if (known !== undefined && known.worker !== worker) handed.set(iteration, { ...known, worker });
}

/** Where and when an effect was decided. */
type Stamp = Pick<Extract<RunRecord, { readonly kind: 'effect' }>, 'seq' | 'at'>;

const none = (): readonly EventRow[] => [];

const HANDLERS: Handlers<Effect, [stamp: Stamp, handed: Handed], readonly EventRow[]> = {
  'iteration-start': (_stamp, handed, { iteration, events }) => {
    handed.set(iteration, { ids: events.map(({ id }) => id), worker: null });
    return [];
  },
  'iteration-stop': none,
  'gates-run': none,
  'timer-set': none,
  'checkpoint-make': none,
  'inbox-append': none,
  'hooks-ask': none,
  'tell-offer': none,
  'question-open': none,
  'question-close': none,
  'panel-ordered': none,
  'run-end': none,
  'event-publish': ({ seq }, handed, effect) => [
    toPublishedRow(seq, effect, findOrigin(handed, effect.event.iteration, effect.event.source)),
  ],
  'event-reject': (stamp, handed, effect) => [toRefusedRow(stamp, effect, findOrigin(handed, effect.iteration, effect.hat))],
  notice: none,
};

function findOrigin(handed: Handed, iteration: number, source: string): EventOrigin {
  const turn = source === EXTERNAL ? undefined : handed.get(iteration);
  return { causes: turn?.ids ?? [], worker: turn?.worker ?? null };
}

const STATUS: Readonly<Record<EventPublish['how'], EventStatus>> = {
  target: 'routed',
  trigger: 'routed',
  fallback: 'routed',
  'safety-net': 'safety-net',
  terminal: 'terminal',
  undelivered: 'undelivered',
  record: 'recorded',
};

function toPublishedRow(seq: number, { event, to, how }: EventPublish, { causes, worker }: EventOrigin): EventRow {
  const { id, ts, iteration, topic, source, payload } = event;
  return {
    v: 1,
    id,
    seq,
    ts,
    iteration,
    topic,
    source,
    target: event.target ?? null,
    sender: event.sender ?? null,
    worker,
    causes,
    payload,
    to,
    status: STATUS[how],
  };
}

/** An event beyond the contract of its hat is on record as `<hat>.scope_violation`; a refused completion and the like keep their topic. */
function toRefusedRow({ seq, at: ts }: Stamp, effect: EventReject, origin: EventOrigin): EventRow {
  const { id, iteration, hat, topic, why, allowed, detail } = effect;
  const row = { v: 1 as const, id, seq, ts, iteration, source: hat, target: null, sender: null, ...origin, to: [] };
  if (why === 'scope') return { ...row, topic: `${hat}.scope_violation`, payload: { topic, allowed }, status: 'refused' };
  return {
    ...row,
    topic,
    payload: detail === undefined ? { why, allowed } : { why, detail },
    status: why === 'withdrawn' ? 'withdrawn' : 'refused',
  };
}

/** Which events somebody wants to see; what is absent does not matter. */
export interface EventFilter {
  /** A topic or a pattern. */
  readonly topic?: string | undefined;
  /** The hat that published it or gets it. */
  readonly hat?: string | undefined;
  readonly iteration?: number | undefined;
}

/** True if the filter lets the row through. */
export function matchesFilter(row: EventRow, filter: EventFilter): boolean {
  const { topic, hat, iteration } = filter;
  if (topic !== undefined && !matchesTopic(topic, row.topic)) return false;
  if (hat !== undefined && row.source !== hat && !row.to.includes(hat)) return false;
  return iteration === undefined || row.iteration === iteration;
}

export interface CausalLine {
  /** What stands before the event: the lines that lead to it. */
  readonly branch: string;
  readonly row: EventRow;
  /** Its causes but the one that it stands below. */
  readonly others: readonly string[];
}

/** More steps to the right than this are not drawn: a line would be wider than any screen. */
const MAX_INDENT = 20;

/**
 * The events of a run below the event that they followed from; of several causes below the last one. An event from which a single one follows stands
 * right above that, so that a long run makes no wide picture.
 *
 * @param rows in the order in which they came up
 */
export function toCausalTree(rows: readonly EventRow[]): readonly CausalLine[] {
  const known = new Set(rows.map((row) => row.id));
  const children = new Map<string, EventRow[]>();
  const roots: EventRow[] = [];
  for (const row of rows) {
    const parent = parentOf(row, known);
    const siblings = parent === undefined ? roots : (children.get(parent) ?? []);
    siblings.push(row);
    if (parent !== undefined) children.set(parent, siblings);
  }
  const lines: CausalLine[] = [];
  const pending: { readonly row: EventRow; readonly branch: string; readonly below: string }[] = [];
  const push = (siblings: readonly EventRow[], below: string, isRoot: boolean): void => {
    const isAlone = isRoot || siblings.length === 1;
    const isTooWide = below.length >= MAX_INDENT * 3;
    for (const [index, row] of [...siblings.entries()].reverse()) {
      const isLast = index === siblings.length - 1;
      const mark = isRoot ? '' : isAlone ? '↳ ' : isLast ? '└─ ' : '├─ ';
      pending.push({ row, branch: `${below}${mark}`, below: isAlone || isTooWide ? below : `${below}${isLast ? '   ' : '│  '}` });
    }
  };
  push(roots, '', true);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { row, branch, below } = next;
    const parent = parentOf(row, known);
    lines.push({ branch, row, others: row.causes.filter((id) => id !== parent) });
    push(children.get(row.id) ?? [], below, false);
  }
  return lines;
}

function parentOf({ id, causes }: EventRow, known: ReadonlySet<string>): string | undefined {
  return causes.findLast((cause) => cause !== id && known.has(cause));
}

/** Some rows with everything that they followed from. */
export function keepWithCauses(rows: readonly EventRow[], isMeant: (row: EventRow) => boolean): readonly EventRow[] {
  const kept = new Set<string>();
  // A cause stands before what follows from it, so one walk from the end finds all.
  for (const row of rows.toReversed()) {
    if (!kept.has(row.id) && !isMeant(row)) continue;
    kept.add(row.id);
    for (const cause of row.causes) kept.add(cause);
  }
  return rows.filter((row) => kept.has(row.id));
}
