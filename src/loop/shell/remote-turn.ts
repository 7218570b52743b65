import type { Effect, IterationStart } from '../../core/run/effects.ts';
import type { Input, IterationEnded, TurnReport } from '../../core/run/inputs.ts';
import { type TurnId, type TurnOutcome, toTurnName, toTurnTitle } from '../../core/run/turn.ts';
import { isRalphError, toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import { tryOr } from '../../core/values/result.ts';
import type { BroughtIn, Elsewhere, RemoteResult, RemoteTurn } from '../../ports/elsewhere.ts';
import { decide } from '../decide/decide.ts';
import { openCopy, takeOverCopy } from './copy-turn.ts';
import type { LoopPorts, TurnContext } from './loop-ports.ts';
import { failStorage, INTERRUPTED, keepReport, toDiscarded, toInterrupted, toOutcome } from './turn-end.ts';

export interface AwayTurns {
  /** Resolves when the turn is on its way. */
  readonly start: (order: IterationStart) => Promise<void>;
  readonly stop: (turn: TurnId, force: boolean) => void;
  readonly hand: (effect: Effect & TurnId) => void;
  /** Gives up all that are away. */
  readonly close: () => Promise<void>;
}

/** Creates them; none is away at first. */
export function createAwayTurns(context: TurnContext, elsewhere: Elsewhere): AwayTurns {
  const { loop } = context;
  const remote = new Map<string, RemoteTurn>();
  /** Of turns that have ended and come home. */
  const coming = new Map<string, AbortController>();
  const ends = new Set<Promise<void>>();
  let isClosed = false;
  const start = async (order: IterationStart): Promise<void> => {
    const name = toTurnName(order);
    const started = await startOrFail(context, elsewhere, order);
    if (started === null) return;
    remote.set(name, started.turn);
    const done = started.turn.result.then(async (result) => {
      remote.delete(name);
      const home = new AbortController();
      coming.set(name, home);
      if (isClosed) home.abort();
      const end = async (trouble: string | null): Promise<void> => {
        const ended = await started.report(result, trouble, home.signal);
        coming.delete(name);
        ends.delete(done);
        loop.post(ended);
      };
      if (order.copy === undefined) return end(null);
      const trouble = await started.bringTo(order.copy, result, home.signal);
      // What is brought into the folder is that of one turn after the other, each with its checkpoint.
      return loop.inOrder(order, () => end(trouble));
    });
    ends.add(done);
    if (isClosed) started.turn.kill();
  };
  return {
    start,
    stop: ({ iteration, attempt }, force) => {
      const name = toTurnName({ iteration, attempt });
      const [turn, home] = [remote.get(name), coming.get(name)];
      if (force) turn?.kill();
      else turn?.hand({ type: 'iteration-stop', iteration, attempt, force });
      if (force) home?.abort();
      // To end an agent early is one thing; what a turn made is given up only where the run is to stop.
      else if (home !== undefined && loop.state().stopping !== null) setTimeout(() => home.abort(), context.settings.stopGraceMs).unref();
    },
    hand: (effect) => remote.get(toTurnName(effect))?.hand(effect),
    close: async () => {
      isClosed = true;
      for (const turn of remote.values()) turn.kill();
      for (const home of coming.values()) home.abort();
      await Promise.all(ends);
      await elsewhere.close();
    },
  };
}

/** One that cannot be given a copy of the folder is no turn: like one whose own folder cannot be written. */
async function startOrFail(context: TurnContext, elsewhere: Elsewhere, order: IterationStart): Promise<StartedElsewhere | null> {
  const { ports, loop } = context;
  try {
    return await startElsewhere(context, elsewhere, order);
  } catch (error) {
    failStorage(ports, loop, `the copy of the folder for ${toTurnTitle(order, order.hat)} cannot be made (${toErrorMessage(error)})`);
    loop.post(toInterrupted(ports, loop, order));
    return null;
  }
}

/** A turn that a worker has, and its end here. */
interface StartedElsewhere {
  readonly turn: RemoteTurn;
  /** Puts what it made into its copy; from then on the turn has ended, whatever becomes of this process. Why it could not be had; `null` where it could. Never rejects. */
  readonly bringTo: (copy: string, result: RemoteResult, signal: AbortSignal) => Promise<string | null>;
  /** The report of the turn, when its work is in the folder. Never rejects. */
  readonly report: (result: RemoteResult, trouble: string | null, signal: AbortSignal) => Promise<IterationEnded>;
}

/**
 * Offers a turn to workers. One that works beside others has a copy of the folder, into which its work comes first; what changed in the folder meanwhile is a conflict for
 * any, and never overwritten.
 *
 * @throws the system error, where the copy cannot be made
 */
async function startElsewhere(context: TurnContext, elsewhere: Elsewhere, order: IterationStart): Promise<StartedElsewhere> {
  const { ports, loop } = context;
  const { copy, ...plain } = order;
  await openCopy(ports, order);
  let isOpen = false;
  const turn = elsewhere.start(
    { order: plain, state: loop.state(), isAlone: copy === undefined },
    {
      prompt: (text) => {
        ports.turns.open(order, text);
        isOpen = true;
      },
      // By the clock of this machine: that of a worker may be off, and a run has so much time.
      post: (told) => {
        const input = { ...told, at: ports.clock.now() };
        if (canFollow(loop, input)) loop.post(input);
      },
      live: (record) => {
        if (isOpen && record.kind === 'live' && record.event.type === 'text') ports.turns.appendText(order, record.event.text);
        ports.observe(record);
      },
    },
  );
  return {
    turn,
    bringTo: (copy, result, signal) => bringToCopy(context, order, { copy, signal }, result),
    report: (result, trouble, signal) => report(context, order, result, { known: trouble, signal }),
  };
}

async function bringToCopy(
  { ports, loop }: TurnContext,
  order: IterationStart,
  { copy, signal }: { readonly copy: string; readonly signal: AbortSignal },
  result: RemoteResult,
): Promise<string | null> {
  // What comes home takes the place of what was written while it passed by.
  ports.turns.close(order);
  if (result.kind !== 'ended') return null;
  try {
    await result.bringTo(copy, signal);
  } catch (error) {
    return toTrouble(error);
  }
  const { iteration, attempt } = order;
  const reported: IterationEnded = { ...result.ended, iteration, attempt, inboxOffset: loop.state().inboxOffset };
  if (canFollow(loop, reported)) keepReport(ports, reported);
  return null;
}

function toTrouble(error: unknown): string {
  const fix = isRalphError(error) && error.fix !== undefined ? ` ${error.fix}` : '';
  return `what it made on its worker could not be brought here: ${toErrorMessage(error)} (${toErrorCode(error)})${fix}`;
}

interface Homecoming {
  /** Why what it made could not be had; `null`: it could, or that is still to come. */
  readonly known: string | null;
  /** Aborted: it is not wanted any more. */
  readonly signal: AbortSignal;
}

async function report(
  { ports, loop }: TurnContext,
  order: IterationStart,
  result: RemoteResult,
  { known, signal }: Homecoming,
): Promise<IterationEnded> {
  const { iteration, attempt } = order;
  ports.turns.close(order);
  const { trouble = known, ...taken } = await bringHome(ports, order, result, signal);
  const after = await ports.workspace.keepAfter(toTurnName(order));
  const treeChanged = taken.before === null || after === null ? null : taken.before !== after;
  const { conflict, discarded } = taken;
  const common = {
    treeChanged,
    inboxOffset: loop.state().inboxOffset,
    ...(conflict === undefined ? {} : { conflict }),
    ...(discarded === undefined ? {} : { violations: toDiscarded(discarded) }),
  };
  const at = ports.clock.now();
  if (result.kind !== 'ended')
    return { type: 'iteration-ended', at, iteration, attempt, ...INTERRUPTED, outcome: toLostOutcome(result), ...common };
  const { ended } = result;
  // Whoever stops the run has the turn taken again.
  if (trouble !== null && signal.aborted)
    return { type: 'iteration-ended', at, iteration, attempt, ...INTERRUPTED, outcome: { status: 'interrupted' }, ...common };
  if (trouble !== null) return { ...ended, at, iteration, attempt, outcome: failAs(trouble), signals: [], ...common };
  const outcome = toOutcome({ status: toStatus(ended), failure: toFailure(ended) }, conflict);
  const reported: IterationEnded = { ...ended, at, iteration, attempt, outcome, ...common };
  if (canFollow(loop, reported)) return reported;
  return { type: 'iteration-ended', at, iteration, attempt, ...INTERRUPTED, outcome: failAs(UNREADABLE), ...common };
}

const UNREADABLE = 'what its worker reported of its end cannot be read';

/** What a worker says is an input once a decision can follow from it: in the journal it would be one at each resume, too. */
function canFollow(loop: TurnContext['loop'], input: Input): boolean {
  return tryOr(() => {
    decide(loop.topology(), loop.state(), input);
    return true;
  }, false);
}

/** Brings what a worker made into the folder. `trouble`: why it could not be had. */
async function bringHome(
  ports: LoopPorts,
  order: IterationStart,
  result: RemoteResult,
  signal: AbortSignal,
): Promise<BroughtIn & { readonly trouble?: string }> {
  const isReadOnly = ports.agents.promptFactsOf?.(order).mayWrite === false;
  if (order.copy !== undefined) return takeOverCopy(ports, order, isReadOnly);
  try {
    // Of a turn that nobody finished there is nothing.
    return await (result.kind === 'ended' ? result.bringIn(isReadOnly, signal) : lookAgain(ports, order));
  } catch (error) {
    return { ...(await lookAgain(ports, order)), trouble: toTrouble(error) };
  }
}

async function lookAgain({ workspace }: LoopPorts, order: IterationStart): Promise<BroughtIn> {
  return { before: await workspace.keepBefore(toTurnName(order)) };
}

function failAs(message: string): TurnOutcome {
  return { status: 'failed', failure: { class: 'transient', message } };
}

function toLostOutcome(result: Exclude<RemoteResult, { readonly kind: 'ended' }>): TurnOutcome {
  return result.kind === 'lost' ? { status: 'failed', failure: result.failure } : { status: 'interrupted' };
}

function toStatus({ outcome }: TurnReport): 'succeeded' | 'failed' | 'stopped' {
  return outcome.status === 'interrupted' ? 'stopped' : outcome.status;
}

function toFailure({ outcome }: TurnReport): Parameters<typeof toOutcome>[0]['failure'] {
  return outcome.status === 'failed' ? outcome.failure : null;
}
