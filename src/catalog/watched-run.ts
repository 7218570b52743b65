import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { toSentenceStart, toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { findElsewhere } from '../fleet-runs/find-elsewhere.ts';
import type { RunSteering } from '../fleet-runs/steer-fleet.ts';
import { findLayout } from '../runs/find-layout.ts';
import { searchFile } from '../runs/read-piece.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { Heard, KeptWord, RunReader } from '../runs/run-api.ts';
import { toCopyRefusal } from '../runs/run-file.ts';
import { readShownPiece } from '../runs/shown-piece.ts';
import { startDetached } from '../runs/start-detached.ts';
import { answerRun, tellRun } from '../runs/steer-run.ts';
import { type Face, leaveStopWish } from '../runs/stop-run.ts';
import { readTurnIndex } from '../runs/turn-index.ts';
import { watchFolder } from '../runs/watch-folder.ts';
import { createRunHistory } from '../views/frame/run-history.ts';
import type { FrameFacts, WatchedRun } from '../views/frame/watched-run.ts';
import { type RunElsewhere, toUnheardText } from '../views/report/elsewhere-report.ts';
import { toReceiptText } from '../views/report/people-rows.ts';
import { cleanText } from '../views/text/plain-text.ts';
import type { Steering, SteeringReceipt } from '../wire/steering.ts';
import type { SearchHit, TurnPart } from '../wire/turn-texts.ts';

const FILES: Readonly<Record<TurnPart, Parameters<RunReader['turnFile']>[1]>> = {
  prompt: 'prompt.md',
  output: 'text.md',
  stdout: 'stdout.log',
  stderr: 'stderr.log',
};
const SEARCHED: readonly TurnPart[] = ['prompt', 'output'];
/** How long an order that is told waits to be given to an agent. */
const GIVEN_MS = 1500;

/**
 * Opens a run for a face. Nothing is read before the first `refresh`.
 *
 * @param run an id or the beginning of one; absent: the one that is under way in this folder, else the newest
 * @param face which one, for the record of what is stopped from it
 * @param by of a copy: by which the run itself is steered
 * @throws RalphError as {@link openRunReader}
 */
export function openWatchedRun(cwd: string, run: string | undefined, env: Environment, face: Face = 'view', by?: RunSteering): WatchedRun {
  const { root } = findLayout(cwd);
  const reader = openRunReader(cwd, run, env);
  const { runId } = reader;
  const cursor = reader.shownRecords();
  const history = createRunHistory();
  const again = (): RunReader => openRunReader(root, runId, env);
  const place = watchPlace(root, runId, env);
  // Once more behind the cleaning: a control within a secret hides it from the first look.
  const shown = (text: string): string => reader.redact(cleanText(reader.redact(text)));
  return {
    runId,
    root,
    history,
    refresh: (maxMs = Number.POSITIVE_INFINITY) => {
      const until = performance.now() + maxMs;
      for (let records = cursor.read(); records.length > 0; records = cursor.read()) {
        for (const record of records) history.take(record);
        if (performance.now() >= until) return true;
      }
      return false;
    },
    facts: () => readFacts(again(), place.last()),
    onChange: (call) => {
      const ends = [watchFolder(reader.runFolder, call), place.follow(() => mayBeAway(again()), call)];
      return () => {
        for (const end of ends) end();
      };
    },
    text: (turn, part, range) => readShownPiece(reader.turnFile(requireTurn(turn), FILES[part]), range, shown),
    diff: async (turn) => {
      const patch = await again().diff(turn === null ? null : requireTurn(turn));
      return patch === null ? null : shown(patch);
    },
    index: (turn) => readTurnIndex(join(reader.turnFile(requireTurn(turn), 'text.md'), '..')),
    search: (words, limit) => searchTurns(reader, history, words, limit, shown),
    evidence: (number, range) =>
      Number.isSafeInteger(number) && number > 0 ? readShownPiece(join(reader.runFolder, 'evidence', `${number}.log`), range, shown) : null,
    picture: async () => {
      const graph = history.graph();
      if (graph === null) return null;
      const { toGraphPicture } = await import('../drawing/index.ts');
      return toGraphPicture(graph);
    },
    steer: by === undefined ? createSteering({ root, runId, env, face }) : steerElsewhere(runId, by, face),
  };
}

/** Where words stand in prompts and outputs, the newest turn first. */
async function searchTurns(
  reader: RunReader,
  history: ReturnType<typeof createRunHistory>,
  words: string,
  limit: number,
  shown: (text: string) => string,
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let place = history.countTurns() - 1; place >= 0 && hits.length < limit; place -= 1) {
    const turn = history.turn(place);
    if (turn === undefined) continue;
    const name = toTurnName(turn);
    for (const part of SEARCHED)
      for (const { line, fromByte } of searchFile(reader.turnFile(name, FILES[part]), words, limit - hits.length, shown))
        hits.push({ turn: name, part, fromByte, line });
    await breathe();
  }
  return hits;
}

/** How often fleets are asked where runs are. */
export const ASK_EVERY_MS = 15_000;

function readFacts(reader: RunReader, elsewhere: RunElsewhere | null): FrameFacts {
  const { isAlive, isUnseen, live, fleet } = reader;
  const facts = { isAlive, isUnseen, now: Date.now(), live: live(), fleet: fleet(), isNewest: false };
  return mayBeAway(reader) ? { ...facts, elsewhere } : facts;
}

function mayBeAway({ isAlive, isCopy, fleet }: RunReader): boolean {
  return !isAlive && !isCopy && fleet() !== null;
}

/** Where a run of a folder is, as its fleet said last: who looks does not wait for it. */
export function watchPlace(cwd: string, runId: string, env: Environment) {
  let last: RunElsewhere | null = null;
  let asking: Promise<boolean> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let followers = 0;
  let left = new AbortController();
  const look = async (): Promise<boolean> => {
    const { signal } = left;
    const found = await findElsewhere(cwd, runId, env, signal);
    if (signal.aborted) return false;
    const isNew = JSON.stringify(found) !== JSON.stringify(last);
    last = found;
    return isNew;
  };
  const ask = (): Promise<boolean> => {
    askedAt = performance.now();
    if (asking !== null) return asking;
    const mine = look().finally(() => {
      if (asking === mine) asking = null;
    });
    asking = mine;
    return mine;
  };
  return {
    last: () => last,
    /** Whether it is somewhere else since. Where it is being asked already, that is waited for. */
    ask,
    /** Asks again and again, where that is of use, until the function that it returns is called: what nobody waits for any more is given up. */
    follow: (isOfUse: () => boolean, call: () => void): (() => void) => {
      const askOnce = async (): Promise<void> => {
        if (isOfUse() && (await ask())) call();
      };
      // The folder of a run may be taken away while it is looked at.
      const again = (): void => void askOnce().catch(() => undefined);
      const timer = setInterval(again, ASK_EVERY_MS);
      timer.unref();
      followers += 1;
      again();
      return () => {
        clearInterval(timer);
        followers -= 1;
        if (followers > 0) return;
        left.abort();
        left = new AbortController();
        asking = null;
      };
    },
    /** Asks where that was long ago; the answer is there later. */
    askAgain: (): void => {
      if (performance.now() - askedAt >= ASK_EVERY_MS) void ask();
    },
  };
}

/** A name becomes a part of a path. */
function requireTurn(name: string): string {
  return /^\d{1,9}\.\d{1,9}$/.test(name) ? name : '0.0';
}

interface SteeredRun {
  readonly root: string;
  readonly runId: string;
  readonly env: Environment;
  readonly face: Face;
}

function createSteering({ root, runId, env, face }: SteeredRun): Steering {
  return {
    tell: async (words) => toToldReceipt(await tellRun(root, words, env, runId, words.when === 'next' ? 0 : GIVEN_MS)),
    answer: async (words) => toAnsweredReceipt(await answerRun(root, words, env, runId)),
    stop: async (how) => {
      leaveStopWish({ cwd: root, run: runId, now: how === 'now', env, face });
      return toStopReceipt(how);
    },
    resume: () => resume({ root, runId, env }),
  };
}

/** Of a run of which only a copy is here. */
function steerElsewhere(runId: string, steering: RunSteering, face: Face): Steering {
  return {
    tell: async (words) => toToldReceipt(await steering.tell(words, words.when === 'next' ? 0 : GIVEN_MS)),
    answer: async (words) => toAnsweredReceipt(await steering.answer(words)),
    stop: async (how) => {
      const kept = await steering.stop(how, face);
      if (kept === null) return toStopReceipt(how);
      const why = toSentenceStart(toUnheardText(kept.unansweredMs));
      return { text: `${why}; a worker that goes on with it by itself stops it at once.`, seq: null };
    },
    resume: () => Promise.reject(toCopyRefusal(runId)),
  };
}

function toStopReceipt(how: 'after' | 'now'): SteeringReceipt {
  const when = how === 'now' ? 'The turn that runs is ended, then the run.' : 'The run ends when the turn that runs has ended.';
  return { text: `Asked to stop. ${when}`, seq: null };
}

function toToldReceipt({ tell, isRunAlive, kept }: Heard): SteeringReceipt {
  if (tell !== null) return { text: `In the journal as #${tell.seq}: ${toReceiptText(tell)}.`, seq: tell.seq };
  return { text: toWrittenText(isRunAlive, kept), seq: null };
}

function toAnsweredReceipt({ question, isRunAlive, kept }: Heard): SteeringReceipt {
  const answer = question?.answer ?? null;
  if (answer === null) return { text: toWrittenText(isRunAlive, kept), seq: null };
  return { text: `${question?.id} is answered: ${answer.choice}.`, seq: null };
}

function toWrittenText(isRunAlive: boolean, kept: KeptWord | undefined): string {
  if (kept !== undefined) return `Kept on the fleet: ${toUnheardText(kept.unansweredMs)}. Whoever goes on with it hears it first.`;
  return isRunAlive ? 'Written; the journal does not have it yet.' : 'Written; it counts when the run is resumed.';
}

async function resume({ root, runId, env }: Omit<SteeredRun, 'face'>): Promise<SteeringReceipt> {
  const { stateDir } = findLayout(root);
  const words = ['resume', runId];
  const abort = new AbortController();
  const started = await startDetached({ cwd: root, stateDir, words, stdin: null, env, abort: abort.signal });
  if (started.kind === 'running') return { text: `It goes on (process ${started.pid}).`, seq: null };
  throw new RalphError({
    code: 'detach-failed',
    what: `It does not go on: ${started.output.trim().slice(0, 1000) || `exit code ${started.exitCode}`}`,
    fix: `See why in a terminal: ralph resume ${runId}`,
  });
}
