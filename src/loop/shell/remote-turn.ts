import type { IterationStart } from '../../core/run/effects.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import { type TurnOutcome, type TurnReport, toTurnName } from '../../core/run/turn.ts';
import { toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import type { Elsewhere, RemoteResult, RemoteTurn } from '../../ports/elsewhere.ts';
import { takeOverCopy, toDiscarded } from './copy-turn.ts';
import type { TurnContext } from './loop-ports.ts';
import { INTERRUPTED, toOutcome } from './turn.ts';

/** A turn that a worker has, and its end here. */
export interface StartedElsewhere {
  readonly turn: RemoteTurn;
  /** The report of the turn, when its work is in the folder. Never rejects. */
  readonly report: (result: RemoteResult) => Promise<IterationEnded>;
}

/**
 * Offers a turn to workers. Like one that works beside others it has a copy of the folder, into which its work comes first: so what changed in the folder meanwhile is a
 * conflict, and never overwritten.
 *
 * @throws the system error, where the copy cannot be made
 */
export async function startElsewhere(context: TurnContext, elsewhere: Elsewhere, order: IterationStart): Promise<StartedElsewhere> {
  const { ports, loop } = context;
  const { copy = toTurnName(order), ...plain } = order;
  if (ports.copies === undefined) throw new Error('there are no copies of the folder here');
  await ports.copies.open(copy);
  if (order.copy === undefined) await ports.workspace.keepOpened(toTurnName(order));
  let isOpen = false;
  const turn = elsewhere.start(
    { order: plain, state: loop.state() },
    {
      prompt: (text) => {
        ports.turns.open(order, text);
        isOpen = true;
      },
      post: loop.post,
      live: (record) => {
        if (isOpen && record.kind === 'live' && record.event.type === 'text') ports.turns.appendText(order, record.event.text);
        ports.observe(record);
      },
    },
  );
  return { turn, report: (result) => report(context, { ...order, copy }, result) };
}

type CopyOrder = IterationStart & Required<Pick<IterationStart, 'copy'>>;

async function report({ ports, loop }: TurnContext, order: CopyOrder, result: RemoteResult): Promise<IterationEnded> {
  const { iteration, attempt, copy } = order;
  // What comes home takes the place of what was written while it passed by.
  ports.turns.close(order);
  const brought = result.kind === 'ended' ? await bring(result, copy) : null;
  const isReadOnly = ports.agents.promptFactsOf?.(order).mayWrite === false;
  // Of a turn that nobody finished nothing is in the copy.
  const taken = await takeOverCopy(ports, order, isReadOnly);
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
  if (result.kind !== 'ended') return { type: 'iteration-ended', at, iteration, attempt, ...INTERRUPTED, outcome: toLostOutcome(result), ...common };
  const { ended } = result;
  if (brought !== null) return { ...ended, at, iteration, attempt, outcome: failAs(brought), signals: [], ...common };
  const outcome = toOutcome({ status: toStatus(ended), failure: toFailure(ended) }, conflict);
  return { ...ended, at, iteration, attempt, outcome, ...common };
}

/** Why what a worker made could not be had; `null` where it was. */
async function bring({ bringTo }: RemoteResult & { readonly kind: 'ended' }, copy: string): Promise<string | null> {
  try {
    await bringTo(copy);
    return null;
  } catch (error) {
    return `what it made on its worker could not be brought here: ${toErrorMessage(error)} (${toErrorCode(error)})`;
  }
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
