import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, isTextOrNull, type Json, type JsonObject, mapTexts, toJsonObject } from '../core/values/json.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { readKept } from '../fleet/keep-run.ts';
import type { Fleet, RunLease, SteerWord } from '../ports/fleet.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { toFleetPerson } from '../runs/people.ts';
import type { AnswerWords, Heard, KeptWord, TellWords } from '../runs/run-api.ts';
import { checkWords, isSameChoice, requireTold, toComplete, toLate, toUnheard } from '../runs/steer-run.ts';
import type { Face } from '../runs/stop-run.ts';
import { cleanText, toPlainLine } from '../views/text/plain-text.ts';
import { STEER_VERSION } from './hear-fleet.ts';
import { toUnknownRun } from './kept-run.ts';

/** A run of a fleet, to be steered from here. Each throws what the same command throws where the run is; `fleet-run-silent`, `fleet-steer-forbidden`, `person-refused`. */
export interface RunSteering {
  readonly tell: (words: TellWords, givenMs: number) => Promise<Heard>;
  readonly answer: (words: AnswerWords) => Promise<Heard>;
  /** Resolves when the wish is left. */
  readonly stop: (wish: 'after' | 'now', face?: Face) => Promise<KeptWord | null>;
}

interface SteeringSettings {
  /** A run that goes from one process to the next is asked again for so long. */
  readonly patienceMs?: number;
  /** As `LONGEST_MS`. */
  readonly longestMs?: number;
  /** Its process is known to be gone: nobody is asked first. */
  readonly isLeft?: boolean;
}

type SteeredFleet = Pick<Fleet, 'steer' | 'leases' | 'words' | 'log' | 'blobs'>;

/**
 * Speaks to the process that has a run, wherever that is; where nobody has it, what is said is kept for whoever goes on with it.
 */
export function createFleetSteering(
  fleet: SteeredFleet,
  runId: string,
  env: Environment,
  { patienceMs = PATIENCE_MS, longestMs = LONGEST_MS, isLeft = false }: SteeringSettings = {},
): RunSteering {
  const say = async (id: string, word: JsonObject & { readonly kind: string }): Promise<SteerReply> => {
    const who = toFleetPerson(env, toPlainLine(hostname(), 40));
    return ask({ ...fleet, patienceMs, longestMs, isLeft }, runId, { id, body: { v: STEER_VERSION, who: { ...who }, ...word } });
  };
  return {
    tell: async ({ command: id = randomUUID(), text, ...words }, givenMs) => {
      requireTold(text);
      return toHeard(runId, id, await say(id, { kind: 'tell', text, ...words, givenMs }));
    },
    answer: async ({ command: id = randomUUID(), ...words }) => {
      const said = await say(id, { kind: 'answer', ...words });
      if (said.kept !== null) await requireFirst(fleet, runId, id, words);
      return toHeard(runId, id, said);
    },
    stop: async (wish, face) => (await say(randomUUID(), { kind: 'stop', wish, ...(face !== undefined && { face }) })).kept,
  };
}

/** Of several answers to a question that are kept the first counts. An account that may not see them is not told. */
async function requireFirst({ words }: Pick<Fleet, 'words'>, run: string, id: string, own: Omit<AnswerWords, 'command'>): Promise<void> {
  const kept = await Promise.race([words.list(run).catch(() => []), pause(LIST_MS, [], { ref: false })]);
  for (const { id: keptId, body } of kept) {
    if (keptId === id) return;
    const { kind, question, choice } = toJsonObject(body);
    const isSame = question === own.question || question === undefined || own.question === undefined;
    if (kind !== 'answer' || !isSame || typeof choice !== 'string' || isSameChoice(choice, own.choice)) continue;
    // By its id it counts for nothing where it stays all the same: the first one does.
    await words.drop(run, id).catch(() => undefined);
    throw toLate({ id: own.question ?? 'its question', answer: { by: 'person', choice: toPlainLine(choice, 60) } });
  }
}

/** What the agent of a turn has said so far, its end; `null` where nobody can be asked. Never rejects. */
export async function askWhatWasSaid({ steer }: Pick<Fleet, 'steer'>, run: string, turn: string): Promise<string | null> {
  try {
    const body = { v: STEER_VERSION, who: { pid: process.pid, user: '' }, kind: 'said', turn };
    const reply = await steer.ask(run, { id: randomUUID(), body });
    const said = isJsonObject(reply) ? reply['done'] : null;
    return typeof said === 'string' ? said : null;
  } catch {
    return null;
  }
}

const PATIENCE_MS = 3000;
const LIST_MS = 3000;
const AGAIN_MS = 500;
/** One that has died is taken for one that listens for some seconds: a word that waits so long for its answer is kept meanwhile. */
const KEEP_AFTER_MS = 1000;
/** A process that has the run and does not answer is asked for so long. */
const LONGEST_MS = 30_000;

/** What was answered; `kept`: nobody did. */
interface SteerReply {
  readonly done: Json;
  readonly kept: KeptWord | null;
}

/** Asks who has the run. Where nobody answers, the word is kept, and asked again where somebody has the run since: they may have looked for words before. */
async function ask(fleet: SteeredFleet & Required<SteeringSettings>, run: string, word: SteerWord): Promise<SteerReply> {
  const { leases, patienceMs, longestMs, isLeft } = fleet;
  const copy = createCopy(fleet, run, word);
  const isStop = isJsonObject(word.body) && word.body['kind'] === 'stop';
  const from = steadyMs();
  let hasBeaten = false;
  try {
    for (let seen = await leases.look(run); ; ) {
      const said = isLeft ? null : await askOnce(fleet, run, word, seen?.lease ?? null, copy.keep);
      if (isJsonObject(said)) return { done: readReply(said), kept: null };
      if (!copy.isKept()) {
        requireHearer(run, (await leases.look(run))?.lease ?? null, isStop);
        await copy.keep();
      }
      const now = await leases.look(run);
      if (now === null) throw toSilent(run, null);
      const { state } = now.lease;
      // It was asked to stop, and has.
      if (isStop && state !== 'held') return { done: null, kept: null };
      if (state === 'ended') throw await toEndedMeanwhile(fleet, run, word.id);
      const isNext = now.beat !== seen?.beat;
      // A process that takes it over says so once, and need not live on.
      hasBeaten = now.lease.epoch === seen?.lease.epoch && (hasBeaten || isNext);
      const waitedMs = steadyMs() - from;
      const isMoving = isNext && waitedMs < longestMs;
      if (isLeft || state === 'free' || (!isMoving && waitedMs >= patienceMs)) {
        copy.leave();
        return { done: null, kept: { unansweredMs: hasBeaten && state === 'held' ? waitedMs : null } };
      }
      seen = now;
      await pause(AGAIN_MS);
    }
  } finally {
    await copy.close();
  }
}

/** A word on the fleet, for whoever goes on with the run. What was answered, and what comes to nothing, does not stay there. */
function createCopy({ words }: Pick<Fleet, 'words'>, run: string, word: SteerWord) {
  let keeping: Promise<void> | null = null;
  let isLeft = false;
  return {
    isKept: () => keeping !== null,
    keep: async (): Promise<void> => {
      keeping ??= words.keep(run, word);
      await keeping.catch((error: unknown) => {
        keeping = null;
        throw error;
      });
    },
    leave: (): void => {
      isLeft = true;
    },
    close: async (): Promise<void> => {
      if (keeping === null || isLeft) return;
      // By its id it counts once where it stays all the same.
      await keeping.then(() => words.drop(run, word.id)).catch(() => undefined);
    },
  };
}

/** `null`: nobody answered, or somebody else has the run since it was asked. */
async function askOnce(
  { steer, leases }: SteeredFleet,
  run: string,
  word: SteerWord,
  seen: RunLease | null,
  keep: () => Promise<void>,
): Promise<Json> {
  const answered = new AbortController();
  const asked = steer.ask(run, word).finally(() => answered.abort());
  const watch = async (): Promise<null> => {
    for (;;) {
      await pause(KEEP_AFTER_MS, undefined, { signal: answered.signal });
      const lease = (await leases.look(run))?.lease;
      if (lease?.state === 'held') await keep();
      if (lease?.epoch !== seen?.epoch) return null;
    }
  };
  // Whoever lives answers also where nothing can be kept.
  return Promise.race([asked, watch().catch(() => asked)]);
}

/** @throws RalphError where nobody will go on with it, see `toSilent` */
function requireHearer(run: string, lease: RunLease | null, isStop: boolean): void {
  if (lease === null || lease.state === 'ended' || (isStop && lease.state === 'free')) throw toSilent(run, lease);
}

/** Whoever answered may have written anything: nothing of it steers a terminal. */
function readReply({ done = null, refused }: JsonObject): Json {
  if (!isJsonObject(refused)) return mapTexts(done, cleanText);
  const { code, what, why, fix, exitCode } = refused;
  const read = (text: Json | undefined): string | null => (typeof text === 'string' ? cleanText(text.slice(0, MAX_SAID)) : null);
  const [reason, mend] = [read(why), read(fix)];
  throw new RalphError({
    code: typeof code === 'string' && /^[a-z][a-z-]{2,40}$/.test(code) ? code : 'fleet-steer-failed',
    what: read(what) ?? 'The process that has the run refused that.',
    ...(reason !== null && { why: reason }),
    ...(mend !== null && { fix: mend }),
    ...(exitCode === 2 && TYPED_WRONG),
  });
}

const MAX_SAID = 2000;
const TYPED_WRONG = { exitCode: 2 };

function toHeard(runId: string, id: string, { done, kept }: SteerReply): Heard {
  if (kept !== null) return { runId, id, isRunAlive: kept.unansweredMs !== null, tell: null, question: null, kept };
  const { tell = null, question = null } = isJsonObject(done) ? done : {};
  return {
    ...{ runId, id, isRunAlive: true },
    tell: isTell(tell) ? (tell as unknown as Heard['tell']) : null,
    question: isQuestion(question) ? (question as unknown as Heard['question']) : null,
  };
}

/** What a receipt is made of is there. */
function isTell(value: Json): boolean {
  if (!isJsonObject(value) || typeof value['seq'] !== 'number' || !isTextOrNull(value['to'])) return false;
  const { given } = value;
  if (given === null) return true;
  return (
    isJsonObject(given) &&
    typeof given['hat'] === 'string' &&
    typeof given['iteration'] === 'number' &&
    typeof given['attempt'] === 'number'
  );
}

function isQuestion(value: Json): boolean {
  if (!isJsonObject(value) || typeof value['id'] !== 'string') return false;
  const { answer } = value;
  return answer === null || (isJsonObject(answer) && typeof answer['choice'] === 'string');
}

function toSilent(run: string, lease: RunLease | null): RalphError {
  if (lease === null) return toUnknownRun(run);
  if (lease.state === 'ended') return toComplete(run);
  return new RalphError({
    code: 'fleet-run-silent',
    what: `Nobody has run ${run}: it was stopped on ${toPlainLine(lease.host, 60)}.`,
    why: 'Only a person who resumes it continues it.',
    fix: `Go on with it: ralph resume ${run} in its folder, or ralph resume ${run} --fleet in an empty one`,
  });
}

/** Whoever took it may have heard the word, and have completed it before the answer came. */
async function toEndedMeanwhile(fleet: Pick<Fleet, 'log' | 'blobs'>, run: string, id: string): Promise<RalphError> {
  let heardAs: number | null = null;
  try {
    await readKept(fleet, run, ({ records }) => {
      for (const record of records) {
        const { seq = 0, input = null } = record.kind === 'entry' ? record.entry : {};
        if ((input?.type === 'told' || input?.type === 'answered') && input.id === id) heardAs = seq;
      }
    });
  } catch {
    return toUnclear(run);
  }
  if (heardAs === null) return toUnheard(run);
  return new RalphError({
    code: 'run-complete',
    what: `Run ${run} has heard this (#${heardAs} in its journal), and is complete by now.`,
    fix: `See what came of it: ralph events ${run} --fleet`,
  });
}

function toUnclear(run: string): RalphError {
  return new RalphError({
    code: 'run-complete',
    what: `Run ${run} has gone on and is complete by now; whether it heard this is in its journal.`,
    fix: `Look: ralph events ${run} --fleet, or ralph resume ${run} in its folder, and then ralph show`,
  });
}

/**
 * The run of a fleet that is meant: by its id, or the beginning or end of one, `last` for the newest; without, the only one that has not ended, else the newest.
 *
 * @throws RalphError `fleet-run-unknown`, `run-ambiguous`
 */
export async function findFleetRun({ leases }: Pick<Fleet, 'leases'>, wanted?: string): Promise<RunLease> {
  const all = (await leases.list()).map(({ lease }) => lease).sort((left, right) => (left.run < right.run ? -1 : 1));
  const exact = wanted === 'last' ? all.at(-1) : all.find(({ run }) => run === wanted);
  if (exact !== undefined) return exact;
  const named = wanted === undefined ? [] : all.filter(({ run }) => run.startsWith(wanted) || run.endsWith(wanted));
  const open = all.filter(({ state }) => state === 'held');
  const meant = wanted !== undefined ? named : open.length > 0 ? open : all.slice(-1);
  const [found] = meant;
  if (found === undefined) throw toUnknownRun(wanted ?? '');
  if (meant.length === 1) return found;
  throw new RalphError({
    code: 'run-ambiguous',
    what: `${meant.length} runs of the fleet ${wanted === undefined ? 'have not ended' : `match ${toPlainLine(wanted, 60)}`}; which one?`,
    fix: `Say its id:\n${meant
      .slice(-MAX_LISTED)
      .map(({ run, title, host }) => `${run}  ${toPlainLine(title, 60)} (${toPlainLine(host, 30)})`)
      .join('\n')}`,
    exitCode: 2,
  });
}

const MAX_LISTED = 10;

/** Which run of which fleet. */
export interface FleetRunOrder {
  /** Address of the fleet. */
  readonly fleet: string;
  readonly run?: string;
  readonly env: Environment;
  /** A folder of the run that nobody has: what is said is checked there first. Absent: whoever has the run checks it. */
  readonly home?: string;
}

async function withRun<Result>(order: FleetRunOrder, act: (fleet: Fleet, runId: string) => Promise<Result>): Promise<Result> {
  const fleet = await connectFleet({ url: order.fleet, env: order.env, name: 'ralph' }, true);
  try {
    return await act(fleet, (await findFleetRun(fleet, order.run)).run);
  } finally {
    await fleet.close();
  }
}

/** As `tellRun`, wherever the run is. Throws also what {@link RunSteering} and {@link findFleetRun} throw, and `fleet-unreachable`. */
export function tellFleetRun(order: FleetRunOrder, words: TellWords, givenMs: number): Promise<Heard> {
  return withRun(order, (fleet, runId) => {
    const checked = order.home === undefined ? words : checkWords(order.home, runId).tell(words);
    return createFleetSteering(fleet, runId, order.env, { isLeft: order.home !== undefined }).tell(checked, givenMs);
  });
}

/** As `answerRun`, wherever the run is. */
export function answerFleetRun(order: FleetRunOrder, words: AnswerWords): Promise<Heard> {
  return withRun(order, (fleet, runId) => {
    const checked = order.home === undefined ? words : checkWords(order.home, runId).answer(words);
    return createFleetSteering(fleet, runId, order.env, { isLeft: order.home !== undefined }).answer(checked);
  });
}

/** How long a run that is to stop now may take: its agent has 10 s to clean up. */
const STOP_NOW_MS = 25_000;
const LOOK_MS = 300;

/** As `stopRun`, wherever the run is: waits until it has stopped. A process that takes the run over meanwhile is asked as well. */
export function stopFleetRun(
  order: FleetRunOrder & { readonly now: boolean; readonly onWaiting: (runId: string) => void },
): Promise<{ readonly runId: string; readonly stopped: boolean; readonly isComplete: boolean; readonly kept?: KeptWord }> {
  return withRun(order, async (fleet, runId) => {
    const steering = createFleetSteering(fleet, runId, order.env, { isLeft: order.home !== undefined });
    const first = await fleet.leases.look(runId);
    if (first?.lease.state === 'ended') throw toComplete(runId);
    const kept = await steering.stop(order.now ? 'now' : 'after');
    if (kept !== null) return { runId, stopped: false, isComplete: false, kept };
    order.onWaiting(runId);
    const from = steadyMs();
    let seen = first;
    let since = from;
    for (;;) {
      const kept = await fleet.leases.look(runId);
      if (kept?.lease.state !== 'held') return { runId, stopped: true, isComplete: kept?.lease.state === 'ended' };
      if (kept.lease.epoch !== seen?.lease.epoch) await steering.stop(order.now ? 'now' : 'after');
      if (kept.beat !== seen?.beat) since = steadyMs();
      seen = kept;
      const isLost = steadyMs() - since > kept.lease.lostAfterMs * 2;
      if (isLost || (order.now && steadyMs() - from > STOP_NOW_MS)) return { runId, stopped: false, isComplete: false };
      await pause(LOOK_MS);
    }
  });
}
