import type { Effect, IterationStart } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import { toSentenceStart, toTurnName, toTurnTitle } from '../core/run/turn.ts';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { BroughtIn, Elsewhere, RemoteOrder, RemoteResult, RemoteTurn, RemoteWatch } from '../ports/elsewhere.ts';
import type { WorkId, WorkReport } from '../ports/fleet.ts';
import { fetchReport } from './fetch-report.ts';
import { isSubjectPart } from './fleet-names.ts';
import { parseLive, parseWorkerWords, TURN_PROTOCOL, toBody } from './messages.ts';
import { giveUpOrder, type OpenOrder, type OrderSettings, offerOrder, sayToWorker, toNewOrder, withdrawOrder } from './open-order.ts';
import { toWholeMessage } from './too-large.ts';

/** A run whose turns are offered. */
export interface OfferSettings extends OrderSettings {
  /** What a worker must have for a turn. */
  readonly labelsOf: (order: IterationStart) => readonly string[];
  /** What it works on, and how: kept in the fleet when this resolves. */
  readonly pack: (order: IterationStart) => Promise<Json>;
  /** How what a worker made comes home, see `RemoteResult`. */
  readonly homecoming: {
    readonly bringTo: (order: IterationStart, home: Json, copy: string, signal: AbortSignal) => Promise<void>;
    readonly bringIn: (order: IterationStart, home: Json, isDiscarded: boolean, signal: AbortSignal) => Promise<BroughtIn>;
  };
}

/** Orders that are over may be there for so much longer, and are forgotten together: each by itself would be in the way of the turn behind it. */
const TIDY_MS = 1000;
interface OpenTurn extends OpenOrder {
  readonly order: IterationStart;
  readonly watch: RemoteWatch;
  readonly settle: (result: RemoteResult) => void;
}

/** Offers the turns of a run to the workers of a fleet, and hears what they report. */
export function offerTurns(made: OfferSettings): Elsewhere {
  const { fleet, run } = made;
  const open = new Map<string, OpenTurn>();
  const offers = new Set<Promise<void>>();
  const over = createTidying(made);
  let following: Promise<() => Promise<void>> | undefined;
  const unwatch = fleet.wires.watch(run, (name, live) => {
    const turn = open.get(name);
    const record = turn === undefined ? null : parseLive(live, turn.order);
    if (record !== null) turn?.watch.live(record);
  });
  const follow = (): Promise<unknown> => {
    following ??= fleet.reports.follow(run, (report) => {
      const turn = open.get(report.name);
      if (turn !== undefined) turn.reading = turn.reading.then(() => readReport(made, turn, report)).catch(() => undefined);
    });
    return following;
  };
  const start = ({ order, state, isAlone }: RemoteOrder, watch: RemoteWatch): RemoteTurn => {
    const turn = openTurn(made, order, watch, (name) => open.delete(name));
    open.set(turn.opened.id.name, turn.opened);
    const offered: Promise<void> = offer(made, turn.opened, { effect: order, state, isAlone } as unknown as Json, follow).finally(() => {
      offers.delete(offered);
      over.add(turn.opened.id);
    });
    offers.add(offered);
    return {
      result: turn.result,
      hand: (effect) => void hand(made, turn.opened, effect),
      kill: () => void giveUp(made, turn.opened, { kind: 'killed' }),
    };
  };
  return {
    start,
    withdraw: async (turn) => {
      await withdrawOrder(made, { run, name: toTurnName(turn) });
    },
    close: async () => {
      unwatch();
      await Promise.all(offers);
      await over.forget();
      await (await following?.catch(() => undefined))?.();
    },
  };
}

function openTurn(
  { run, labelsOf }: OfferSettings,
  order: IterationStart,
  watch: RemoteWatch,
  onEnd: (name: string) => void,
): { readonly opened: OpenTurn; readonly result: Promise<RemoteResult> } {
  let settle: OpenTurn['settle'] = () => undefined;
  const id = { run, name: toTurnName(order) };
  const result = new Promise<RemoteResult>((resolve) => {
    settle = resolve;
  });
  const opened: OpenTurn = {
    ...toNewOrder(id),
    ...{ title: toSentenceStart(toTurnTitle(order, order.hat)), labels: labelsOf(order), protocol: TURN_PROTOCOL, order, watch },
    settle: (how) => {
      if (opened.over.signal.aborted) return;
      opened.over.abort();
      onEnd(id.name);
      settle(how);
    },
    lose: (why) => opened.settle({ kind: 'lost', failure: { class: 'transient', message: why } }),
  };
  return { opened, result };
}

async function offer(made: OfferSettings, turn: OpenTurn, task: Json, follow: () => Promise<unknown>): Promise<void> {
  const { fleet } = made;
  try {
    await follow();
    const place = await made.pack(turn.order);
    await offerOrder(made, turn, await toBody(fleet.blobs, { task, place, lostAfterMs: made.lostAfterMs }));
  } catch (error) {
    turn.lose(`the fleet could not be asked: ${toErrorMessage(error)}`);
  }
}

/** Has the fleet forget orders that are over. */
function createTidying({ fleet, isOwn }: Pick<OfferSettings, 'fleet' | 'isOwn'>) {
  const over = new Set<WorkId>();
  let timer: NodeJS.Timeout | undefined;
  let forgetting: Promise<unknown> = Promise.resolve();
  const forget = (): Promise<unknown> => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...over];
    over.clear();
    const forgetAll = async (): Promise<unknown> => isOwn() && Promise.all(ids.map((id) => fleet.queue.forget(id).catch(() => undefined)));
    forgetting = forgetting.then(forgetAll);
    return forgetting;
  };
  return {
    add: (id: WorkId): void => {
      over.add(id);
      timer ??= setTimeout(() => void forget(), TIDY_MS);
    },
    forget,
  };
}

async function readReport(made: OfferSettings, turn: OpenTurn, report: WorkReport): Promise<void> {
  if (turn.over.signal.aborted || !isSubjectPart(report.worker)) return;
  const body = await fetchReport(made, turn, report.body).catch((error: unknown) => {
    // Another try may make less of it; another worker sends the same.
    if (isRalphError(error)) refuse(turn, `what the worker ${report.worker} reported: ${toWholeMessage(error)}`);
    return null;
  });
  const words = parseWorkerWords(body, turn.order);
  if (words === null || turn.over.signal.aborted) return;
  turn.worker = report.worker;
  if (words.kind === 'prompt') return turn.watch.prompt(words.text);
  if (words.kind === 'input') return turn.watch.post(toHeard(words.input, report));
  const { order } = turn;
  const { bringTo, bringIn } = made.homecoming;
  turn.settle({
    kind: 'ended',
    ended: words.input,
    bringTo: (...how) => bringTo(order, words.home, ...how),
    bringIn: (...how) => bringIn(order, words.home, ...how),
  });
}

function refuse({ settle }: OpenTurn, message: string): void {
  settle({ kind: 'lost', failure: { class: 'agent', message } });
}

/** The processes of a worker are on its machine: nothing here may be ended by their numbers. Who it is says its report, and not what it wrote inside. */
function toHeard(input: Input, { worker }: WorkReport): Input {
  return input.type === 'iteration-spawned' ? { ...input, pid: null, processStart: null, worker } : input;
}

/** One that nobody has taken yet is taken back where it is to stop. */
async function hand(made: OfferSettings, turn: OpenTurn, effect: Effect): Promise<void> {
  const isHeard = await sayToWorker(made, turn, effect as unknown as Json, effect.type === 'iteration-stop');
  if (!isHeard) await giveUp(made, turn, { kind: 'killed' });
}

async function giveUp(made: OfferSettings, turn: OpenTurn, result: RemoteResult): Promise<void> {
  await giveUpOrder(made, turn);
  turn.settle(result);
}
