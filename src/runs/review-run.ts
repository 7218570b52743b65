import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import type { RalphEvent } from '../core/events/event.ts';
import { RALPH } from '../core/events/reserved.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { type Json, mapTexts, toPayloadText } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import type { RunView, TurnView } from '../views/fold/run-view.ts';
import { toReview } from '../views/review/create-review.ts';
import type { Review, SaidFacts, SaidText, TodoLine } from '../views/review/review.ts';
import { findLayout } from './find-layout.ts';
import { mayHatChangeTree } from './hat-capabilities.ts';
import type { Layout } from './layout.ts';
import { openRunReader, openRunReaderIn } from './read-run.ts';
import type { RunReader } from './run-api.ts';
import { type FactsOrder, storeReport } from './run-facts.ts';
import { readRunFile } from './run-file.ts';

/**
 * A run for a person who decides what becomes of its work, whether it is under way or over.
 *
 * @param run an id or the beginning of one, or `last`; absent: the one that is under way in this folder, else the newest
 * @throws RalphError as `openRunReader` does, `run-not-begun`
 */
export async function reviewRun(cwd: string, run: string | undefined, env: Environment): Promise<Review> {
  const reader = openRunReader(cwd, run, env);
  const paths = toRunPaths(findLayout(cwd).stateDir, reader.runId);
  return reviewReader(reader, paths, { now: Date.now(), isNewest: isNewest(cwd, reader.runId, env) });
}

function isNewest(cwd: string, runId: string, env: Environment): boolean {
  return tryOr(() => {
    const newest = openRunReader(cwd, undefined, env);
    return newest.runId === runId && !newest.isCopy;
  }, true);
}

async function reviewReader(
  reader: RunReader,
  paths: RunPaths,
  { now, isNewest }: { readonly now: number; readonly isNewest: boolean },
): Promise<Review> {
  const settings = tryOr(() => readRunFile(paths.settings).settings, null);
  const fold = createRunViewFold();
  const collector = createReviewCollector(settings);
  reader.replay((record) => {
    fold.take(record);
    collector.take(record);
  });
  const view = fold.view();
  const [facts, patch] = await Promise.all([reader.facts(view), reader.diff(null).catch(() => null)]);
  const textFile = (turn: string): string => reader.turnFile(turn, 'text.md');
  const said = collectSaid({ view, settings, textFile, patch, redact: reader.redact }, collector.events());
  const { isAlive, isUnseen, signalPid } = reader;
  const review = toReview(view, {
    facts,
    said,
    damage: reader.damage(),
    now,
    isNewest,
    isAlive,
    isUnseen,
    signalPid,
    live: reader.live(),
    fleet: reader.fleet(),
    left: reader.left(),
  });
  return mapTexts(review as unknown as Json, reader.redact) as unknown as Review;
}

interface SaidOrder {
  readonly view: RunView;
  /** `null` where they are lost. */
  readonly settings: Settings | null;
  /** Absolute path of what an agent said in a turn. */
  readonly textFile: (turn: string) => string;
  /** What the run changed, as a patch; `null` where nobody knows. */
  readonly patch: string | null;
  readonly redact: (text: string) => string;
}

const MAX = { reviews: 12, reviewText: 4000, left: 16, leftText: 800, todos: 40, todoText: 300 };

/** Keeps what was published by those who look at the work of others, the newest of each kind. */
function createReviewCollector(settings: Settings | null): {
  readonly take: (record: RunRecord) => void;
  readonly events: () => readonly RalphEvent[];
} {
  const last = new Map<string, RalphEvent>();
  const looks = new Map<string, boolean>();
  // Whoever is called first gives the work out.
  let first: string | null = null;
  const isReader = (hat: string): boolean => {
    const known = looks.get(hat) ?? (settings !== null && hat !== RALPH && !mayHatChangeTree(settings, hat));
    looks.set(hat, known);
    return known;
  };
  return {
    take: (record) => {
      if (record.kind !== 'effect') return;
      if (record.effect.type === 'iteration-start') first ??= record.effect.hat;
      if (record.effect.type !== 'event-publish') return;
      const { event } = record.effect;
      const isReview = event.topic.startsWith('review.') || (event.source !== first && isReader(event.source));
      if (event.iteration === 0 || !isReview || toPayloadText(event.payload).trim() === '') return;
      const key = `${event.source} ${event.topic}`;
      last.delete(key);
      last.set(key, event);
      // Of many kinds the newest: a run of thousands of turns needs no more room than a short one.
      if (last.size > MAX.reviews) for (const [oldest] of last) return void last.delete(oldest);
    },
    events: () => [...last.values()].reverse(),
  };
}

/** What was said in a run: by readers, as last words, and in lines that it added. What cannot be read is left out. */
function collectSaid(order: SaidOrder, reviews: readonly RalphEvent[]): SaidFacts {
  const { redact } = order;
  return {
    reviews: reviews.map(({ source, iteration, topic, payload }) => ({
      by: source,
      iteration,
      topic,
      text: redact(toPayloadText(payload)).slice(0, MAX.reviewText),
    })),
    // Whoever reviewed has had the last word already.
    left: collectLeft(order, new Set(reviews.map(({ source }) => source))).slice(0, MAX.left),
    todos: order.patch === null ? [] : listTodos(redact(order.patch)),
  };
}

/** Words by which agents say that something is left. */
const LEFT =
  /\b(?:TODO|FIXME|not (?:yet )?(?:done|implemented|finished|tested|fixed|covered|verified)|left (?:undone|out|for later|open|to do)|still (?:to do|missing|fails?|failing|open|broken)|remains? (?:to be|open|undone)|remaining|out of scope|follow[- ]?ups?|could ?n[o’']t|cannot be|unable to|did ?n[o’']t (?:run|test|verify|check)|was not able|skipped)\b/i;
const MAX_LINES = 4;
const TEXT_BYTES = 32 << 10;

/** The last words of each hat, and the lines of its last turn that tell of what is left. The newest first. */
function collectLeft({ view, textFile, redact }: SaidOrder, reviewers: ReadonlySet<string>): readonly SaidText[] {
  const turns = [...new Map(view.turns.map((turn) => [turn.hat, turn] as const)).values()]
    .filter(({ hat }) => !reviewers.has(hat))
    .reverse();
  return turns.flatMap((turn) => {
    const text = readEnd(textFile(toTurnName(turn)));
    return text === null ? [] : toLeft(turn, redact(text), view.promise);
  });
}

function toLeft({ hat, iteration }: TurnView, text: string, promise: string): readonly SaidText[] {
  const lines = text
    .replace(/<event\b[^>]*>[\s\S]*?<\/event>/g, '')
    .split('\n')
    .filter((line) => line.trim() !== promise);
  const paragraphs = lines
    .join('\n')
    .trim()
    .split(/\n\s*\n/);
  const words = (paragraphs.at(-1) ?? '').trim();
  const said = lines.filter((line) => LEFT.test(line) && !words.includes(line.trim())).slice(-MAX_LINES);
  return [...said, ...(words === '' ? [] : [words])].map((part) => ({
    by: hat,
    iteration,
    topic: null,
    text: part.trim().slice(0, MAX.leftText),
  }));
}

/** The end of a file; `null` where there is none. */
function readEnd(path: string): string | null {
  const handle = tryOr(() => openSync(path, 'r'), null);
  if (handle === null) return null;
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, TEXT_BYTES));
    const count = readSync(handle, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
    return bytes.subarray(0, count).toString('utf8');
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

const TODO = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** Lines that a patch adds and that say that something is left. */
function listTodos(patch: string): readonly TodoLine[] {
  const todos: TodoLine[] = [];
  let path = '';
  let inHunk = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (line.startsWith('@@ ')) inHunk = true;
    else if (!inHunk && line.startsWith('+++ ')) path = toPath(line.slice(4));
    else if (inHunk && line.startsWith('+') && TODO.test(line)) todos.push({ path, text: line.slice(1).trim().slice(0, MAX.todoText) });
    if (todos.length === MAX.todos) return todos;
  }
  return todos;
}

/** As git writes it: `b/name`, in quotes where it holds control characters, with a tab behind it where it holds a space. */
function toPath(name: string): string {
  return name.replace(/\t$/, '').replace(/^("?)b\//, '$1');
}

/** Keeps what is told of a run at its end beside its journal, whatever the end was. Never rejects. */
export async function storeEnd({ layout, paths, env }: Pick<FactsOrder, 'paths' | 'env'> & { readonly layout: Layout }): Promise<void> {
  try {
    const review = await reviewReader(openRunReaderIn(layout, paths.runId, env), paths, { now: Date.now(), isNewest: true });
    storeReport(paths, review as unknown as Json);
  } catch {
    // What is kept can be found anew: nothing of it is worth a failed end.
  }
}
