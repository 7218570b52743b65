import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Effect } from '../core/run/effects.ts';
import type { LiveRecord } from '../core/run/run-record.ts';
import { toOrderTitle, toSentenceStart } from '../core/run/turn.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json, toJsonObject } from '../core/values/json.ts';
import type { AcceptOrder, BusyWork, Fleet, KeptLease, WorkClaim, WorkerFacts, WorkerState, WorkId } from '../ports/fleet.ts';
import { fromBody, type ProgramWords, toBody, type WorkerWords } from './messages.ts';
import type { RoundWords } from './round-messages.ts';

/** A worker. */
export interface WorkSettings {
  readonly fleet: Fleet;
  readonly worker: WorkerFacts & Pick<WorkerState, 'token'>;
  /** Another worker has its name by now: this one had said nothing for too long. */
  readonly onNameLost: () => void;
  /** How many orders at the same time. */
  readonly slots: number;
  /** Does what an order asks, and resolves when nothing of it is alive. What it throws ends the order without a report. */
  readonly perform: (job: Job) => Promise<void>;
  readonly tell: (text: string) => void;
}

/** An order that is worked on. */
export interface Job extends WorkId {
  /** Which of the worker's places it has: 0, 1, … */
  readonly slot: number;
  readonly task: Json;
  readonly place: Json;
  /** Durable when it resolves; reports keep their order. The end of an order is reported once: what would follow it goes nowhere. */
  readonly report: (words: WorkerWords | ProgramWords | RoundWords) => Promise<void>;
  /** Whether its end has been reported. */
  readonly hasEnded: () => boolean;
  readonly show: (record: LiveRecord) => void;
  /** Called with what the coordinator wants of the turn. */
  readonly onEffect: (hear: (effect: Effect) => void) => void;
  /** Aborted when the order is not the worker's own any more: everything of it is to end at once, and nothing of it counts. */
  readonly fenced: AbortSignal;
}

/** Whose round of a panel an order is about; `null` for any other. */
export function readOrderedAgent(task: Json): string | null {
  const { kind, id } = toJsonObject(task);
  return kind === 'round' && typeof id === 'string' ? id : null;
}

/** Reports behind which others come. */
const MORE_FOLLOWS: ReadonlySet<(WorkerWords | ProgramWords | RoundWords)['kind']> = new Set([
  'prompt',
  'input',
  'round-told',
  'round-hand-in',
]);

/** It says so often that it lives, of the time after which it is given up. */
const BEATS = 5;
const USUAL_LOST_MS = 20_000;
const TELL_MS = 5000;
/** What it does just now is for people to read: turns that follow each other at once are told of together. */
const SOON_MS = 250;

/**
 * Takes orders until it is aborted; those that it has are worked on to their end.
 *
 * @param drain aborted: no more orders
 * @param kill aborted: those that it has are given up too
 */
export async function takeWork(made: WorkSettings, drain: AbortSignal, kill: AbortSignal): Promise<void> {
  const { fleet, worker, slots } = made;
  const busy = new Map<number, BusyWork>();
  const toState = (): WorkerState => ({ ...worker, slots, busy: [...busy.values()], isDraining: drain.aborted });
  // One after the other, so that what is told last is how it is; at most one waits.
  let told: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const tellState = (afterMs = 0): Promise<void> => {
    if (isWaiting) return told;
    isWaiting = true;
    told = told.then(async () => {
      if (afterMs > 0) await pause(afterMs, undefined, { signal: drain, ref: false }).catch(() => undefined);
      isWaiting = false;
      // A server that cannot be asked is no answer.
      if (!(await fleet.workers.tell(toState()).catch(() => true)) && !drain.aborted) made.onNameLost();
    });
    return told;
  };
  const over = new AbortController();
  const telling = repeat(TELL_MS, over.signal, () => tellState());
  await Promise.race([tellState(), new Promise((resolve) => drain.addEventListener('abort', resolve, { once: true }))]);
  drain.addEventListener('abort', () => void tellState());
  const accept = acceptLiving(fleet, () => performance.now());
  const claimNext = createClaims(made, accept, drain);
  const serve = async (slot: number): Promise<void> => {
    while (!drain.aborted) {
      const claim = await claimNext();
      if (claim === null) continue;
      const { run, name } = claim.order;
      busy.set(slot, { run, name });
      void tellState(SOON_MS);
      const onAgent = (agent: string | null): void => {
        if (agent === null) return;
        busy.set(slot, { run, name, agent });
        void tellState(SOON_MS);
      };
      await work(made, { claim, slot, onAgent }, kill);
      busy.delete(slot);
      void tellState(SOON_MS);
    }
  };
  await Promise.all(Array.from({ length: slots }, (_, slot) => serve(slot)));
  over.abort();
  const leaving = Promise.all([telling, told]).then(() => fleet.workers.leave(worker).catch(() => undefined));
  // A fleet that is away hears of it by the silence that follows.
  await Promise.race([leaving, pause(LEAVE_MS, undefined, { ref: false })]);
}

const LEAVE_MS = 2000;

const AGAIN_MS = 1000;
const MAX_FIRST = 2 ** 40;

/** Claims the next order; `null` where that failed, or nothing more is to be claimed. */
function createClaims({ fleet, worker, tell }: WorkSettings, accept: AcceptOrder, drain: AbortSignal): () => Promise<WorkClaim | null> {
  let told = '';
  return async () => {
    try {
      const claim = await fleet.queue.claim(worker, drain, accept);
      told = '';
      return claim;
    } catch (error) {
      if (drain.aborted) return null;
      // Of a fleet that is away the worker tells otherwise, and once.
      const isThere = (await fleet.check().catch(() => null)) === 'same';
      const text = `The fleet cannot be asked: ${toErrorMessage(error)}.`;
      if (isThere && text !== told) tell(text);
      if (isThere) told = text;
      await pause(AGAIN_MS, undefined, { signal: drain }).catch(() => undefined);
      return null;
    }
  };
}

/**
 * Whether an order is to be taken: its run has to be in the hands of a process that lives. An order that was offered a short time ago needs no more than that nobody has let go of the run, as was seen within
 * the last second; of one that has waited for longer the run has to be heard of. What is not accepted now can be later: a run that somebody goes on with has its orders still.
 *
 * @param steady milliseconds that count on
 */
export function acceptLiving({ leases }: Pick<Fleet, 'leases'>, steady: () => number): AcceptOrder {
  const heard = new Map<
    string,
    { readonly beat: number; readonly at: number; readonly seen: KeptLease['lease']; readonly seenAt: number }
  >();
  return async ({ run }, waitedMs) => {
    const last = heard.get(run);
    // Whoever lets go of a run takes its orders back, and ends those that were taken meanwhile.
    if (last !== undefined && steady() - last.seenAt < RECENT_MS && last.seen.state === 'held' && waitedMs < last.seen.lostAfterMs)
      return true;
    // A server that cannot be asked is no answer; the claim asks it once more.
    const kept = await leases.look(run).catch(() => undefined);
    if (kept === undefined) return true;
    if (kept === null) return false;
    if (heard.size > MAX_RUNS) heard.clear();
    const news = last === undefined ? Number.NEGATIVE_INFINITY : steady();
    const at = last?.beat === kept.beat ? last.at : news;
    heard.set(run, { beat: kept.beat, at, seen: kept.lease, seenAt: steady() });
    const { state, lostAfterMs } = kept.lease;
    return state === 'held' && (waitedMs < lostAfterMs || steady() - at < lostAfterMs);
  };
}

const MAX_RUNS = 1000;
const RECENT_MS = 1000;

async function repeat(everyMs: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await act();
  }
}

/** A report that is lost would be a turn that did something else: it is sent again until it is there, or nothing of the order counts any more. */
async function untilSent(fenced: AbortSignal, send: () => Promise<void>): Promise<void> {
  while (!fenced.aborted) {
    try {
      return await send();
    } catch {
      await pause(AGAIN_MS, undefined, { signal: fenced }).catch(() => undefined);
    }
  }
}

interface WorkUnderWay {
  readonly claim: WorkClaim;
  readonly slot: number;
  /** Hears whose round of a panel it is. */
  readonly onAgent: (name: string | null) => void;
}

async function work(made: WorkSettings, { claim, slot, onAgent }: WorkUnderWay, kill: AbortSignal): Promise<void> {
  const { fleet, worker, tell } = made;
  const { run, name } = claim.order;
  const fence = new AbortController();
  const over = new AbortController();
  const giveUp = (): void => fence.abort();
  kill.addEventListener('abort', giveUp);
  if (kill.aborted) giveUp();
  let beating: Promise<void> = Promise.resolve();
  const heard: Effect[] = [];
  let hear: (effect: Effect) => void = (effect) => heard.push(effect);
  let unhear = (): void => undefined;
  try {
    unhear = fleet.wires.answer({ run, name }, (words) => {
      if (!isJsonObject(words)) return;
      if (words['kind'] === 'kill') fence.abort();
      if (words['kind'] === 'effect' && isJsonObject(words['effect'])) hear(words['effect'] as unknown as Effect);
    });
    const body = await fromBody(fleet.blobs, claim.order.body);
    const { task = null, place = null, lostAfterMs } = isJsonObject(body) ? body : {};
    onAgent(readOrderedAgent(task));
    beating = repeat((typeof lostAfterMs === 'number' ? lostAfterMs : USUAL_LOST_MS) / BEATS, over.signal, async () => {
      // A server that cannot be asked is no answer: whoever waits for the beat decides.
      if (!(await claim.beat().catch(() => true))) fence.abort();
    });
    // An order may be offered again under its name: reports of another offer must not count as these.
    let number = randomInt(MAX_FIRST);
    let hasEnded = false;
    await made.perform({
      hasEnded: () => hasEnded,
      ...{ run, name, slot, task, place, fenced: fence.signal },
      report: async (words) => {
        if (hasEnded) return;
        const isEnd = !MORE_FOLLOWS.has(words.kind);
        hasEnded = isEnd;
        number += 1;
        const numbered = number;
        await untilSent(fence.signal, async () => {
          const body = await toBody(fleet.blobs, words as unknown as Json);
          await fleet.reports.append({ run, name, worker: worker.id, number: numbered, body });
          // Who offered it forgets it from here on: to say that it is alive would only find out that nobody knows it.
          if (isEnd) over.abort();
        });
      },
      show: (record) => fleet.wires.show({ run, name }, record as unknown as Json),
      onEffect: (take) => {
        hear = take;
        for (const effect of heard.splice(0)) take(effect);
      },
    });
  } catch (error) {
    tell(`${toSentenceStart(toOrderTitle(name))} of run ${run} could not be worked on: ${toErrorMessage(error)}.`);
  } finally {
    unhear();
    over.abort();
    await beating;
    kill.removeEventListener('abort', giveUp);
    await claim.end().catch(() => false);
  }
}
