import { setTimeout as pause } from 'node:timers/promises';
import type { Notice } from '../core/run/effects.ts';
import type { Json } from '../core/values/json.ts';
import { type Fleet, type ListedWorker, WORKER_SILENT_MS, type WorkId, type WorkStanding } from '../ports/fleet.ts';
import { findUnreported, type ReportHearing } from './fetch-report.ts';
import { LONG_ASK_MS } from './keep-run.ts';

/** A run whose orders are offered, and watched over. */
export interface OrderSettings {
  readonly fleet: Fleet;
  readonly run: string;
  /** Milliseconds that count on, whatever becomes of the clock. */
  readonly steady: () => number;
  /** Something a person should know now; a warning by default. */
  readonly tell: (text: string, level?: Notice['level']) => void;
  /** A worker that has not said for so long that it lives is lost. */
  readonly lostAfterMs: number;
  /** Whether the run is still this process's own. */
  readonly isOwn: () => boolean;
}

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
  /** What is to be done with reports, one after the other. */
  reading: Promise<void>;
  /** Workers may know of it. */
  isOffered: boolean;
  /** The fleet has said that it keeps it. */
  isThere: boolean;
  /** Hears that it is offered. */
  readonly onOffered?: () => void;
  /** Hears that a worker has it. */
  readonly onTaken?: (worker: string) => void;
}

type NewOrderField = 'id' | 'worker' | 'reading' | 'isOffered' | 'isThere' | keyof ReportHearing;

/** What every order begins with. */
export function toNewOrder(id: WorkId): Pick<OpenOrder, NewOrderField> {
  const hearing: ReportHearing = { over: new AbortController(), heardAt: null, heardBytes: 0, isTaking: false, takenAt: null };
  return { ...hearing, id, worker: null, reading: Promise.resolve(), isOffered: false, isThere: false };
}

/** Offers an order, and watches over it until it is over. */
export async function offerOrder(made: OrderSettings, order: OpenOrder, body: Json): Promise<void> {
  const { id, labels, protocol, over } = order;
  if (over.signal.aborted) return;
  order.isOffered = true;
  await made.fleet.queue.offer({ ...id, labels, protocol, body });
  order.isThere = true;
  order.onOffered?.();
  // It may have been given up while it was being offered.
  if (over.signal.aborted) await made.fleet.queue.withdraw(id).catch(() => false);
  await watchOrder(made, order);
}

/** Said to a worker whose order is not its own any more, so that it need not find out by itself. */
export const KILL: Json = { kind: 'kill' };

/** Takes an order back, and ends what a worker does of it. Never rejects. */
export async function withdrawOrder({ fleet }: Pick<OrderSettings, 'fleet'>, id: WorkId): Promise<void> {
  await fleet.queue.withdraw(id).catch(() => false);
  await fleet.wires.ask(id, KILL).catch(() => false);
}

/** One of a run that somebody else goes on with is theirs: they take it up. Never rejects. */
export async function giveUpOrder(made: Pick<OrderSettings, 'fleet' | 'isOwn'>, order: OpenOrder): Promise<void> {
  if (order.over.signal.aborted || !made.isOwn()) return;
  // That it is over then says of nobody that they ended it.
  order.isThere = false;
  await withdrawOrder(made, order.id);
}

/**
 * Says something to the worker of an order, until it says that it heard, or the order is over. Never rejects.
 *
 * @param isEnd the order is to end by it: one that nobody has taken needs nobody to begin it
 * @returns false where nobody has taken it, and it is to end
 */
export async function sayToWorker({ fleet }: OrderSettings, order: OpenOrder, effect: Json, isEnd: boolean): Promise<boolean> {
  const { id, over } = order;
  while (!over.signal.aborted) {
    if (await fleet.wires.ask(id, { kind: 'effect', effect }).catch(() => false)) return true;
    if (isEnd && (await isUntaken(fleet, order))) return false;
    await pause(LOOK_MS, undefined, { signal: over.signal }).catch(() => undefined);
  }
  return true;
}

async function isUntaken({ queue }: Fleet, { id, isOffered }: OpenOrder): Promise<boolean> {
  return !isOffered || (await queue.look(id).catch(() => null))?.kind === 'offered';
}

/** Whether this worker has an order, or had it: any worker may report what it likes. Nobody else gets an order that somebody had. */
export async function isHolder({ fleet }: Pick<OrderSettings, 'fleet'>, order: OpenOrder, worker: string): Promise<boolean> {
  while (!order.over.signal.aborted) {
    if (order.worker !== null) return order.worker === worker;
    const { isThere } = order;
    const standing = await fleet.queue.look(order.id).catch(() => null);
    if (order.over.signal.aborted) return false;
    if (standing?.kind === 'held') noteHolder(order, standing.worker);
    // One of an older version does not say that it was the one who ended it.
    else if (standing?.kind === 'over' && isThere && order.isThere) noteHolder(order, standing.worker ?? worker);
    else await pause(LOOK_MS, undefined, { signal: order.over.signal }).catch(() => undefined);
  }
  return false;
}

/** Of an order that is over nothing is said any more. */
function noteHolder(order: OpenOrder, worker: string): void {
  if (order.over.signal.aborted || order.worker === worker) return;
  order.worker = worker;
  order.onTaken?.(worker);
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
    if (standing.kind === 'held') noteHolder(order, standing.worker);
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
type WatchSettings = Pick<OrderSettings, 'fleet' | 'steady' | 'lostAfterMs' | 'tell'>;

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
