import type { RunRecord } from '../../core/run/run-record.ts';
import { toPayloadText } from '../../core/values/json.ts';
import type { FlowGraph } from '../../topology/graph/index.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import { createEventFold } from '../fold/fold-events.ts';
import { createGraphFold } from '../fold/fold-graph.ts';
import { createProofFold } from '../fold/fold-proof.ts';
import { withProof } from '../fold/fold-run-view.ts';
import { createDraft, type RunHead, type TurnDraft, toHead, toTurnView } from '../fold/run-draft.ts';
import type { RunView, TurnView } from '../fold/run-view.ts';
import { takeEffect, takeInput } from '../fold/take-records.ts';
import { countUntil, createVersions, type Versions } from '../fold/versions.ts';
import { toPlainLine } from '../text/plain-text.ts';

/**
 * A run as it was after each of its inputs. It is folded once; whatever moment is asked for afterwards is looked up, not folded again. Turns are known by their place,
 * from 0, which never changes. A `seq` below 1 means the time before the run, one above the last input the last input.
 */
export interface RunHistory {
  /** Takes the next record. What passes by live is left out: the journal does not have it. */
  readonly take: (record: RunRecord) => void;
  /** The number of the last input; 0 before the first. */
  readonly lastSeq: () => number;
  /** The same view that a fold of the records up to this input gives; for no number or the last one its list of turns is kept, not made. */
  readonly view: (seq?: number) => RunView;
  /** The flow graph with the counts of that moment; `null` before the run has begun. */
  readonly graph: (seq?: number) => FlowGraph | null;
  /** How many turns had begun. */
  readonly countTurns: (seq?: number) => number;
  /** A turn at that moment; `undefined` where it had not begun. */
  readonly turn: (place: number, seq?: number) => TurnView | undefined;
  /** From which input to which a turn worked; `undefined` where there is no such turn. */
  readonly span: (place: number) => TurnSpan | undefined;
  /** How many events had come up. */
  readonly countEvents: (seq?: number) => number;
  /** Events from a place on, in the order in which they came up. */
  readonly events: (from: number, count: number) => readonly ToldEvent[];
  /** What has changed behind this input: places of turns, and the place of the first new event. */
  readonly changes: (seq: number) => { readonly turns: readonly number[]; readonly firstEvent: number };
}

/** The inputs between which a turn worked. */
export interface TurnSpan {
  readonly startSeq: number;
  /** `null` while it works. */
  readonly endSeq: number | null;
}

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
    view: (seq = END) => settled(() => ({ ...(heads.at(seq) ?? EMPTY_HEAD), turns: seq >= folds.lastSeq() ? turns.now : turns.at(seq) })),
    graph: (seq = END) => graph.view(seq),
    countTurns: (seq = END) => settled(() => turns.count(seq)),
    turn: (place, seq = END) => settled(() => turns.of(place)?.at(seq)),
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
  const heads = createVersions<RunHead>();
  const turns = createTurnVersions();
  const events: ToldEvent[] = [];
  const eventSeqs: number[] = [];
  let lastSeq = 0;
  let isOpen = false;
  const settle = (): void => {
    if (!isOpen) return;
    isOpen = false;
    const head = withProof(toHead(draft), draft.end === null ? null : proof.proof());
    heads.set(lastSeq, shareParts(head, heads.last()));
    turns.set(lastSeq, draft.turns, draft.touched);
    draft.touched.clear();
  };
  const take = (record: RunRecord): void => {
    if (record.kind === 'live' || record.kind === 'gate-output') return;
    proof.take(record);
    graph.take(record);
    if (record.kind === 'input') {
      settle();
      lastSeq = record.seq;
      takeInput(draft, record.seq, record.input);
    } else takeEffect(draft, record.at, record.effect);
    isOpen = true;
    for (const { payload, v: _, ...row } of toEvents(record)) {
      events.push({ ...row, excerpt: toPlainLine(toPayloadText(payload), EXCERPT_LENGTH) });
      eventSeqs.push(row.seq);
    }
  };
  return { take, settle, heads, turns, graph, events, eventSeqs, lastSeq: () => lastSeq };
}

const EMPTY_HEAD = toHead(createDraft());

/** The turns of a history. */
interface TurnVersions {
  /** Those of the last input; the same list is changed by the next one. */
  readonly now: readonly TurnView[];
  readonly set: (seq: number, drafts: readonly TurnDraft[], touched: ReadonlySet<TurnDraft>) => void;
  readonly count: (seq: number) => number;
  readonly at: (seq: number) => readonly TurnView[];
  readonly of: (place: number) => Versions<TurnView> | undefined;
  readonly span: (place: number) => TurnSpan | undefined;
  /** Places of those that were set behind an input. */
  readonly changed: (seq: number) => readonly number[];
}

function createTurnVersions(): TurnVersions {
  const all: Versions<TurnView>[] = [];
  const now: TurnView[] = [];
  const starts: number[] = [];
  const ends: (number | null)[] = [];
  const log = { seqs: [] as number[], places: [] as number[] };
  return {
    now,
    set: (seq, drafts, touched) => {
      for (const turn of touched) {
        const place = drafts.lastIndexOf(turn);
        // What was replaced by a turn in its place is no turn any more.
        if (place < 0) continue;
        const view = shareEmpty(toTurnView(turn));
        if (all[place] === undefined) {
          all[place] = createVersions();
          starts[place] = seq;
        }
        all[place].set(seq, view);
        now[place] = view;
        ends[place] = view.status === 'running' ? null : (ends[place] ?? seq);
        log.seqs.push(seq);
        log.places.push(place);
      }
    },
    count: (seq) => countUntil(starts, seq),
    at: (seq) => all.slice(0, countUntil(starts, seq)).flatMap((versions) => versions.at(seq) ?? []),
    of: (place) => all[place],
    span: (place) => {
      const startSeq = starts[place];
      return startSeq === undefined ? undefined : { startSeq, endSeq: ends[place] ?? null };
    },
    changed: (seq) => [...new Set(log.places.slice(countUntil(log.seqs, seq)))],
  };
}

const EMPTY: readonly never[] = Object.freeze([]);

/** Most of a turn's lists are empty: one list is enough for all of them. */
function shareEmpty(turn: TurnView): TurnView {
  const { given, published, blocked, refused, gates, command, denials } = turn;
  const share = <Item>(list: readonly Item[]): readonly Item[] => (list.length === 0 ? EMPTY : list);
  return {
    ...turn,
    given: share(given),
    published: share(published),
    blocked: share(blocked),
    refused: share(refused),
    gates: share(gates),
    command: share(command),
    denials: share(denials),
  };
}

/** Takes from the version before what is the same in both, so that a list which did not change is kept once. */
function shareParts(head: RunHead, before: RunHead | undefined): RunHead {
  if (before === undefined) return head;
  const shared: Record<string, unknown> = { ...head };
  for (const name in before) {
    const known = before[name as keyof RunHead];
    if (shared[name] !== known && isSame(shared[name], known)) shared[name] = known;
  }
  return shared as unknown as RunHead;
}

/** True for lists of the same things, and objects with the same fields; one level deep, which is all that a fold makes anew. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((item, index) => item === other[index]);
  if (Array.isArray(one) || Array.isArray(other)) return false;
  const known = other as Readonly<Record<string, unknown>>;
  const fields = Object.entries(one);
  return fields.length === Object.keys(known).length && fields.every(([name, value]) => value === known[name]);
}
