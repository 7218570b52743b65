import type { ProgramNews } from '../core/run/run-record.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { WorkReport } from '../ports/fleet.ts';
import { fetchReport } from './fetch-report.ts';
import { isSubjectPart } from './fleet-names.ts';
import { ROUND_PROTOCOL, toBody } from './messages.ts';
import {
  giveUpOrder,
  isHolder,
  type OpenOrder,
  type OrderSettings,
  offerOrder,
  sayToWorker,
  toNewOrder,
  withdrawOrder,
} from './open-order.ts';
import { parseRoundLive, parseRoundWords, type RoundControl, type RoundEnd, type RoundWords } from './round-messages.ts';
import { toWholeMessage } from './too-large.ts';

/** A run whose panels have their rounds offered. */
export interface RoundOfferSettings extends OrderSettings {
  /** Hears what becomes of each. */
  readonly see: (news: Omit<ProgramNews, 'since'>) => void;
}

/** A round that is to be offered. */
export interface RoundOffer extends Pick<OpenOrder, 'title' | 'labels'> {
  /** Of its order; none is used twice. */
  readonly name: string;
  /** What its worker reads: kept in the fleet when it resolves. */
  readonly pack: () => Promise<{ readonly task: object; readonly place: Json }>;
  /** Takes what a worker reports, but for its end; one after the other, and never rejects. */
  readonly take: (words: Exclude<RoundWords, RoundEnd>, worker: string) => Promise<void>;
  /** Sees what passes by. */
  readonly see: (event: NonNullable<ReturnType<typeof parseRoundLive>>) => void;
}

/** What became of it. `why` is said of a round that failed for no fault of its agent. */
export type OfferedRoundEnd =
  | { readonly kind: 'ended'; readonly end: RoundEnd }
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'killed' };

/** A round in the hands of a worker. */
export interface OfferedRound {
  /** Settles once, never rejects. */
  readonly result: Promise<OfferedRoundEnd>;
  /** Says something to its worker, as soon as there is one; one that nobody has taken is taken back where it is to stop. */
  readonly say: (control: () => Promise<RoundControl>) => void;
  readonly kill: () => void;
}

/** The rounds of a run's panels in the hands of workers. */
export interface OfferedRounds {
  readonly start: (offer: RoundOffer) => OfferedRound;
  /** Ends what a process before this one offered under these names. Never rejects. */
  readonly withdraw: (names: readonly string[]) => Promise<void>;
  /** Ends all. Never rejects. */
  readonly close: () => Promise<void>;
}

interface OpenRound extends OpenOrder {
  readonly offer: RoundOffer;
  readonly settle: (end: OfferedRoundEnd) => void;
}

/** Offers rounds of a panel's agents to the workers of a fleet. */
export function offerRounds(made: RoundOfferSettings): OfferedRounds {
  const { fleet, run } = made;
  const open = new Map<string, OpenRound>();
  const under = new Set<Promise<unknown>>();
  let following: Promise<() => Promise<void>> | undefined;
  let unwatch: (() => void) | undefined;
  const follow = (): Promise<unknown> => {
    unwatch ??= fleet.wires.watch(run, (name, live) => {
      const event = open.has(name) ? parseRoundLive(live) : null;
      if (event !== null) open.get(name)?.offer.see(event);
    });
    following ??= fleet.reports.follow(run, (report) => {
      const round = open.get(report.name);
      if (round !== undefined) round.reading = round.reading.then(() => readReport(made, round, report)).catch(() => undefined);
    });
    return following;
  };
  return {
    start: (wanted) => {
      const { opened, result } = openRound(made, wanted);
      open.set(wanted.name, opened);
      const offered: Promise<unknown> = offer(made, opened, follow).finally(() => {
        open.delete(wanted.name);
        under.delete(offered);
      });
      under.add(offered);
      return {
        result,
        say: (control) => void say(made, opened, control).catch(() => undefined),
        kill: () => void giveUp(made, opened),
      };
    },
    withdraw: async (names) => {
      await Promise.all(names.map((name) => withdrawOrder(made, { run, name })));
    },
    close: async () => {
      await Promise.all([...open.values()].map((round) => giveUp(made, round)));
      await Promise.all(under);
      unwatch?.();
      await (await following?.catch(() => undefined))?.();
    },
  };
}

function openRound(
  { run, see }: RoundOfferSettings,
  offer: RoundOffer,
): { readonly opened: OpenRound; readonly result: Promise<OfferedRoundEnd> } {
  let resolve: (end: OfferedRoundEnd) => void = () => undefined;
  const result = new Promise<OfferedRoundEnd>((settled) => {
    resolve = settled;
  });
  const { name, title, labels } = offer;
  const opened: OpenRound = {
    ...{ ...toNewOrder({ run, name }), title, labels, protocol: ROUND_PROTOCOL, offer },
    onOffered: () => see({ program: name, title, labels, worker: opened.worker, isOver: false }),
    onTaken: (worker) => see({ program: name, title, labels, worker, isOver: false }),
    settle: (end) => {
      opened.over.abort();
      resolve(end);
    },
    lose: (why) => opened.settle({ kind: 'lost', why }),
  };
  return { opened, result };
}

async function offer(made: RoundOfferSettings, round: OpenRound, follow: () => Promise<unknown>): Promise<void> {
  const { fleet } = made;
  const { id, labels, title } = round;
  try {
    await follow();
    const { task, place } = await round.offer.pack();
    await offerOrder(made, round, await toBody(fleet.blobs, { task, place, lostAfterMs: made.lostAfterMs } as unknown as Json));
  } catch (error) {
    round.lose(`it could not be sent: ${toErrorMessage(error)}`);
  } finally {
    made.see({ program: id.name, title, labels, worker: round.worker, isOver: true });
    if (made.isOwn()) await fleet.queue.forget(id).catch(() => undefined);
  }
}

async function readReport(made: RoundOfferSettings, round: OpenRound, { worker, body }: WorkReport): Promise<void> {
  if (round.over.signal.aborted || !isSubjectPart(worker) || !(await isHolder(made, round, worker))) return;
  const told = await fetchReport(made, round, body).catch((error: unknown) => {
    round.lose(`what the worker ${worker} reported: ${toWholeMessage(error)}`);
    return null;
  });
  const words = parseRoundWords(told);
  if (words === null || round.over.signal.aborted) return;
  if (words.kind !== 'round') return takeWords(made, round, () => round.offer.take(words, worker));
  round.settle({ kind: 'ended', end: words });
}

/** What is behind a report may take long to come; whoever brings it gives up what comes too slowly. */
async function takeWords({ steady }: RoundOfferSettings, round: OpenRound, take: () => Promise<void>): Promise<void> {
  round.isTaking = true;
  try {
    await take();
  } finally {
    round.isTaking = false;
    round.takenAt = steady();
  }
}

async function say(made: RoundOfferSettings, round: OpenRound, control: () => Promise<RoundControl>): Promise<void> {
  if (round.over.signal.aborted) return;
  const said = await control();
  const isHeard = await sayToWorker(made, round, said as unknown as Json, said.type === 'round-stop' || said.type === 'round-finish');
  if (!isHeard) await giveUp(made, round);
}

async function giveUp(made: RoundOfferSettings, round: OpenRound): Promise<void> {
  await giveUpOrder(made, round);
  round.settle({ kind: 'killed' });
}
