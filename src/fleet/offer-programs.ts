import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProgramNews } from '../core/run/run-record.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { BlobReading, WorkId, WorkReport } from '../ports/fleet.ts';
import type { AwayResult } from '../ports/gate-runner.ts';
import { fetchReport, hearBytes } from './fetch-report.ts';
import { isSubjectPart } from './fleet-names.ts';
import { toBody } from './messages.ts';
import { giveUpOrder, KILL, type OpenOrder, type OrderSettings, toNewOrder, watchOrder } from './open-order.ts';
import { toWholeMessage } from './too-large.ts';

/** A run whose gates and hooks are offered. */
export interface ProgramOfferSettings extends OrderSettings {
  /** Asks whether the run is still this process's own: it may have been frozen. Rejects where it is not. */
  readonly confirm: () => Promise<void>;
  /** The run's folder: what a program shows names it in the place of the worker's own. */
  readonly cwd: string;
  /** Hears what becomes of each. */
  readonly see?: (news: Omit<ProgramNews, 'since'>) => void;
}

/** A program that a worker is to run, once: the command of a gate, or a hook. */
export interface AwayProgram<Ran> extends Pick<OpenOrder, 'title' | 'labels' | 'protocol'> {
  /** Of its order: one program has one name, however often it is asked. */
  readonly name: string;
  /** So often it is offered where each of its workers is lost. */
  readonly offers: number;
  /** What its worker reads beside the name of the offer and the folder of the run; plain JSON. */
  readonly task: object;
  /** Reads what a worker reported; `null` for what is none, and for the report of another offer. */
  readonly read: (report: Json, offer: string, reading: BlobReading) => Promise<ProgramReport<Ran> | null>;
}

/** What a worker reported of a program. `ran` is `null` where it could not be run, see `trouble`. */
export interface ProgramReport<Ran> {
  readonly ran: Ran | null;
  readonly trouble: string;
}

/** The programs of a run in the hands of workers. */
export interface OfferedPrograms {
  /** Runs one on what `pack` gives: kept in the fleet when it resolves. Never rejects; after an abort the program is ended, and nothing of it counts. */
  readonly run: <Ran>(
    program: AwayProgram<Ran>,
    pack: () => Promise<Json>,
    signal: AbortSignal,
    say?: (line: string) => void,
  ) => Promise<AwayResult<Ran>>;
  /** Ends what a process before this one offered under these names, before anything else is. */
  readonly dropLeft: (names: readonly string[]) => void;
  /** Ends those that are under way. Never rejects. */
  readonly close: () => Promise<void>;
}

const AGAIN_MS = 1000;
const STOPPED = { kind: 'stopped' } as const;

interface OpenProgram extends OpenOrder {
  /** Of this offer: a report of another one of the same program counts for nothing. */
  readonly offer: string;
  /** What is done with a report of its order. */
  readonly take: (report: WorkReport) => Promise<void>;
  readonly stop: () => void;
}

/** Offers programs of a run to the workers of a fleet. Unlike a turn a program may be run again, so one that is lost is offered anew. */
export function offerPrograms(made: ProgramOfferSettings): OfferedPrograms {
  const waiting = new Map<string, Promise<unknown>>();
  const over = new AbortController();
  const reports = createProgramReports(made);
  let dropped: Promise<unknown> = Promise.resolve();
  const perform: OfferedPrograms['run'] = async (program, pack, asked, say) => {
    const signal = AbortSignal.any([asked, over.signal]);
    await dropped;
    let why = '';
    for (let offers = 1; offers <= program.offers; offers += 1) {
      if (signal.aborted) return STOPPED;
      const result = await pack()
        .then((place) => offer(made, reports, { program, place, signal }))
        .catch((error: unknown) => toLost(`it could not be sent: ${toErrorMessage(error)}`));
      if (result.kind !== 'lost') return result;
      why = maskControls(result.why).slice(0, 500);
      if (offers < program.offers) made.tell(`${program.title}: ${why}; it is offered anew.`);
      say?.(`[${why}]`);
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    return signal.aborted
      ? STOPPED
      : toLost(`not run: it was offered ${program.offers} times, and no worker ran it to its end; the last time ${why}`);
  };
  return {
    // Requests of the same program have one name.
    run: (program, ...more) => {
      const mine = (waiting.get(program.name) ?? Promise.resolve()).then(() => perform(program, ...more));
      waiting.set(program.name, mine);
      return mine;
    },
    dropLeft: (names) => {
      dropped = Promise.all(names.map((name) => dropOffer(made, { run: made.run, name }).catch(() => undefined)));
    },
    close: async () => {
      over.abort();
      await Promise.all([dropped, ...waiting.values()]);
      await reports.close();
    },
  };
}

/** Hands each program that is open what workers report of it. */
interface ProgramReports {
  /** By the names of their orders. */
  readonly open: Map<string, OpenProgram>;
  /** Resolves when reports are heard. */
  readonly follow: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function createProgramReports({ fleet, run, isOwn }: ProgramOfferSettings): ProgramReports {
  const open = new Map<string, OpenProgram>();
  let following: Promise<() => Promise<void>> | undefined;
  return {
    open,
    follow: () => {
      following ??= fleet.reports.follow(run, (report) => {
        const program = open.get(report.name);
        if (program !== undefined) program.reading = program.reading.then(() => program.take(report)).catch(() => undefined);
      });
      return following;
    },
    close: async () => {
      await (await following?.catch(() => undefined))?.();
      // Turns and programs of this process have ended, and none of another one reports what counts, unless somebody else goes on with the run.
      if (isOwn()) await fleet.reports.forget(run).catch(() => undefined);
    },
  };
}

interface Offer<Ran> {
  readonly program: AwayProgram<Ran>;
  readonly place: Json;
  readonly signal: AbortSignal;
}

/** Offers a program once. */
async function offer<Ran>(
  made: ProgramOfferSettings,
  { open, follow }: ProgramReports,
  { program, place, signal }: Offer<Ran>,
): Promise<AwayResult<Ran>> {
  const { fleet, cwd, lostAfterMs } = made;
  const { name, title, labels, protocol } = program;
  const see = (worker: string | null, isOver = false): void => made.see?.({ program: name, title, labels, worker, isOver });
  const { opened, result } = openProgram(made, program, see);
  const { id } = opened;
  await follow();
  await dropOffer(made, id);
  const task = { ...program.task, offer: opened.offer, cwd };
  const body = await toBody(fleet.blobs, { task, place, lostAfterMs } as unknown as Json);
  if (signal.aborted) return STOPPED;
  open.set(id.name, opened);
  const end = (): void => void giveUp(made, opened);
  try {
    await fleet.queue.offer({ ...id, labels, protocol, body });
    see(null);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    watchOrder(made, opened).catch((error: unknown) => opened.lose(`the fleet could not be asked: ${toErrorMessage(error)}`));
    return await result;
  } finally {
    opened.over.abort();
    see(null, true);
    signal.removeEventListener('abort', end);
    open.delete(id.name);
    if (made.isOwn()) await fleet.queue.forget(id).catch(() => undefined);
  }
}

function toLost(why: string): { readonly kind: 'lost'; readonly why: string } {
  return { kind: 'lost', why };
}

function openProgram<Ran>(
  { fleet, run, steady }: ProgramOfferSettings,
  { name, title, labels, protocol, read }: AwayProgram<Ran>,
  onTaken: (worker: string) => void,
): { readonly opened: OpenProgram; readonly result: Promise<AwayResult<Ran>> } {
  let resolve: (result: AwayResult<Ran>) => void = () => undefined;
  const result = new Promise<AwayResult<Ran>>((settled) => {
    resolve = settled;
  });
  const settle = (how: AwayResult<Ran>): void => {
    opened.over.abort();
    resolve(how);
  };
  const opened: OpenProgram = {
    ...{ ...toNewOrder({ run, name }), title, labels, protocol, offer: randomUUID(), onTaken },
    take: async ({ worker, body }) => {
      if (opened.over.signal.aborted || !isSubjectPart(worker)) return;
      const told = await readProgram({ fleet, steady }, opened, body, read).catch((error: unknown) => ({
        ran: null,
        trouble: toWholeMessage(error),
      }));
      if (told === null) return;
      settle(told.ran === null ? toLost(`the worker ${worker} could not run it: ${told.trouble}`) : { kind: 'ran', worker, ...told.ran });
    },
    stop: () => settle(STOPPED),
    lose: (why) => settle(toLost(why)),
  };
  return { opened, result };
}

/** A report, and what comes with it: while some of it comes, its order is not lost. */
async function readProgram<Ran>(
  settings: Pick<ProgramOfferSettings, 'fleet' | 'steady'>,
  opened: OpenProgram,
  body: Json,
  read: AwayProgram<Ran>['read'],
): Promise<ProgramReport<Ran> | null> {
  const report = await fetchReport(settings, opened, body);
  return read(report, opened.offer, {
    onBytes: (bytes) => hearBytes(opened, settings.steady(), bytes),
    signal: opened.over.signal,
  });
}

/** What was offered under a name before, by this process or by one that died: its worker ends it, and has its place free. */
async function dropOffer({ fleet, confirm }: ProgramOfferSettings, id: WorkId): Promise<void> {
  await confirm();
  await fleet.queue.withdraw(id);
  await fleet.wires.ask(id, KILL);
  await fleet.queue.forget(id);
}

async function giveUp(made: ProgramOfferSettings, program: OpenProgram): Promise<void> {
  await giveUpOrder(made, program);
  program.stop();
}
