import { setTimeout as pause } from 'node:timers/promises';
import type { Effect, IterationStart, Notice } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import { toSentenceStart, toTurnName, toTurnTitle } from '../core/run/turn.ts';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { BroughtIn, Elsewhere, RemoteOrder, RemoteResult, RemoteTurn, RemoteWatch } from '../ports/elsewhere.ts';
import { type Fleet, type ListedWorker, WORKER_SILENT_MS, type WorkId, type WorkReport, type WorkStanding } from '../ports/fleet.ts';
import { fetchReport, findUnreported, type ReportHearing } from './fetch-report.ts';
import { isSubjectPart } from './fleet-names.ts';
import { LONG_ASK_MS } from './keep-run.ts';
import { parseLive, parseWorkerWords, TURN_PROTOCOL, toBody } from './messages.ts';
import { toWholeMessage } from './too-large.ts';

/** A run whose turns are offered. */
export interface OfferSettings {
  readonly fleet: Fleet;
  readonly run: string;
  /** What a worker must have for a turn. */
  readonly labelsOf: (order: IterationStart) => readonly string[];
  /** What it works on, and how: kept in the fleet when this resolves. */
  readonly pack: (order: IterationStart) => Promise<Json>;
  /** How what a worker made comes home, see `RemoteResult`. */
  readonly homecoming: {
    readonly bringTo: (order: IterationStart, home: Json, copy: string, signal: AbortSignal) => Promise<void>;
    readonly bringIn: (order: IterationStart, home: Json, isDiscarded: boolean, signal: AbortSignal) => Promise<BroughtIn>;
  };
  /** Milliseconds that count on, whatever becomes of the clock. */
  readonly steady: () => number;
  /** Something a person should know now; a warning by default. */
  readonly tell: (text: string, level?: Notice['level']) => void;
  /** A worker that has not said for so long that it lives is lost. */
  readonly lostAfterMs: number;
  /** Whether the run is still this process's own. */
  readonly isOwn: () => boolean;
}

/** Orders that are over may be there for so much longer, and are forgotten together: each by itself would be in the way of the turn behind it. */
const TIDY_MS = 1000;
/** How often an order is looked at. */
const LOOK_MS = 500;
/** An order that nobody takes is told of after so long, and offered once more each time. */
const UNTAKEN_MS = 5000;
/** A server that is away for longer is not waited for. */
const AWAY_MS = 60_000;

/** An order that is watched over. */
export interface OpenOrder extends ReportHearing {
  readonly id: WorkId;
  /** As people call it, at the beginning of a sentence: `Iteration 7 (builder)`. */
  readonly title: string;
  readonly labels: readonly string[];
  readonly protocol: number;
  /** Ends it: no worker will report anything that counts. */
  readonly lose: (why: string) => void;
  worker: string | null;
  /** Hears that a worker has it. */
  readonly onTaken?: (worker: string) => void;
}

interface OpenTurn extends OpenOrder {
  readonly order: IterationStart;
  readonly watch: RemoteWatch;
  readonly settle: (result: RemoteResult) => void;
  /** What is to be done with reports, one after the other. */
  reading: Promise<void>;
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
      const id = { run, name: toTurnName(turn) };
      await fleet.queue.withdraw(id).catch(() => false);
      await fleet.wires.ask(id, KILL);
    },
    close: async () => {
      unwatch();
      await Promise.all(offers);
      await over.forget();
      await (await following?.catch(() => undefined))?.();
    },
  };
}

/** Said to a worker whose order is not its own any more, so that it need not find out by itself. */
export const KILL: Json = { kind: 'kill' };

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
    ...{
      id,
      title: toSentenceStart(toTurnTitle(order, order.hat)),
      labels: labelsOf(order),
      protocol: TURN_PROTOCOL,
      over: new AbortController(),
      worker: null,
      heardAt: null,
      heardBytes: 0,
    },
    ...{ order, watch, reading: Promise.resolve() },
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
    const body = await toBody(fleet.blobs, { task, place, lostAfterMs: made.lostAfterMs });
    if (turn.over.signal.aborted) return;
    await fleet.queue.offer({ ...turn.id, labels: turn.labels, protocol: turn.protocol, body });
    await watchOrder(made, turn);
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

/** Watches over an order until it is over. */
export async function watchOrder(made: WatchSettings, order: OpenOrder): Promise<void> {
  const { fleet, steady, lostAfterMs } = made;
  let last: WorkStanding = { kind: 'offered' };
  let since = steady();
  const offeredAt = since;
  let reminders = 0;
  let isTold = false;
  let answeredAt = since;
  const tellTaken = (): void => {
    if (!isTold || order.worker === null) return;
    isTold = false;
    made.tell(`${order.title} is taken by worker ${order.worker}, after ${Math.round((steady() - offeredAt) / 1000)} s.`, 'info');
  };
  const { signal } = order.over;
  // Most are taken at once: to ask about them would only hold up the server.
  while (await isLonger(signal)) {
    const askedAt = steady();
    const standing = await fleet.queue.look(order.id).catch(() => null);
    // While the server cannot be asked, no worker can say that it lives.
    if (steady() - askedAt > LONG_ASK_MS) since = steady();
    if (standing === null) {
      since = steady();
      if (since - answeredAt > AWAY_MS) order.lose(`the fleet could not be asked for ${Math.round((since - answeredAt) / 1000)} s`);
      continue;
    }
    answeredAt = steady();
    if (JSON.stringify(standing) !== JSON.stringify(last)) since = steady();
    last = standing;
    const waited = steady() - since;
    if (standing.kind === 'held' && order.worker !== standing.worker) {
      order.worker = standing.worker;
      order.onTaken?.(standing.worker);
    }
    tellTaken();
    if (standing.kind === 'held' && waited > lostAfterMs && (await fleet.queue.withdraw(order.id, standing))) {
      order.lose(`the worker ${standing.worker} was lost: it said nothing for ${Math.round(waited / 1000)} s`);
    } else if (standing.kind === 'over') {
      const why = findUnreported(order, since, steady());
      if (why !== null) order.lose(`the worker ${order.worker ?? 'that had it'} ${why}`);
    } else if (standing.kind === 'offered' && waited > UNTAKEN_MS * (reminders + 1)) {
      reminders += 1;
      await fleet.queue.remind(order.id).catch(() => undefined);
      if (reminders === 1) made.tell(await toUntakenText(made, order));
      isTold = true;
    }
  }
  tellTaken();
}

/** Waits until the next look; false when there is none any more. */
async function isLonger(over: AbortSignal): Promise<boolean> {
  await pause(LOOK_MS, undefined, { signal: over }).catch(() => undefined);
  return !over.aborted;
}

/** What watching needs of a run. */
type WatchSettings = Pick<OfferSettings, 'fleet' | 'steady' | 'lostAfterMs' | 'tell'>;

/** Those that have been heard of lately: of one that was killed or is frozen nothing is expected, long before it is off the list. */
export async function listHeard({ workers }: Pick<Fleet, 'workers'>): Promise<readonly ListedWorker[]> {
  return (await workers.list()).filter(({ silentMs }) => silentMs < WORKER_SILENT_MS);
}

/** The workers that can take an order, busy or not. */
export async function listTakers(fleet: Pick<Fleet, 'workers'>, { labels, protocol }: Pick<OpenOrder, 'labels' | 'protocol'>) {
  return (await listHeard(fleet)).filter((worker) => worker.protocol >= protocol && labels.every((label) => worker.labels.includes(label)));
}

/** A label that is misspelt is seen beside those that are there. */
async function toLackingText(fleet: Pick<Fleet, 'workers'>, labels: readonly string[]): Promise<string> {
  const there = new Set((await listHeard(fleet)).flatMap((worker) => worker.labels));
  const lacking = labels.filter((label) => !there.has(label));
  return there.size === 0 || lacking.length === 0
    ? ''
    : ` (none has ${lacking.join(',')}; those there have ${[...there].sort().join(',')})`;
}

async function toUntakenText({ fleet }: WatchSettings, order: OpenOrder): Promise<string> {
  const { title, labels } = order;
  const workers = await listTakers(fleet, order);
  const wanted = labels.join(',');
  return workers.length === 0
    ? `${title} waits for a worker with ${wanted}, and there is none${await toLackingText(fleet, labels)}. Start one where RALPH_FLEET is set: ralph worker --labels ${wanted}`
    : `${title} waits: ${workers.length === 1 ? 'the worker' : `all ${workers.length} workers`} with ${wanted} ${workers.length === 1 ? 'is' : 'are'} busy.`;
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

/** Until the worker says that it heard, or the turn is over. One that nobody has taken yet is taken back where it is to stop. */
async function hand(made: OfferSettings, turn: OpenTurn, effect: Effect): Promise<void> {
  const { fleet } = made;
  while (!turn.over.signal.aborted) {
    if (await fleet.wires.ask(turn.id, { kind: 'effect', effect } as unknown as Json)) return;
    if (effect.type === 'iteration-stop' && (await isUntaken(made, turn))) return giveUp(made, turn, { kind: 'killed' });
    await pause(LOOK_MS);
  }
}

async function isUntaken({ fleet }: OfferSettings, { id }: OpenTurn): Promise<boolean> {
  return (await fleet.queue.look(id).catch(() => null))?.kind === 'offered';
}

/** A turn of a run that somebody else goes on with is theirs: they take it up. */
async function giveUp({ fleet, isOwn }: OfferSettings, turn: OpenTurn, result: RemoteResult): Promise<void> {
  const { id } = turn;
  if (isOwn()) {
    await fleet.queue.withdraw(id).catch(() => false);
    await fleet.wires.ask(id, KILL);
  }
  turn.settle(result);
}
