import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { toGateName } from '../core/gates/gate-spec.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { WorkId, WorkReport } from '../ports/fleet.ts';
import type { AwayGateOrder, AwayGateResult } from '../ports/gate-runner.ts';
import { isSubjectPart, toGateOrderName } from './fleet-names.ts';
import { fromBody, GATE_PROTOCOL, type GateTask, parseGateWords, toBody } from './messages.ts';
import { KILL, type OfferSettings, type OpenOrder, watchOrder } from './offer-turns.ts';

/** A run whose gates are offered. */
export interface GateOfferSettings extends Pick<OfferSettings, 'fleet' | 'run' | 'steady' | 'tell' | 'lostAfterMs' | 'isOwn'> {
  /** Asks whether the run is still this process's own: it may have been frozen. Rejects where it is not. */
  readonly confirm: () => Promise<void>;
  /** The run's folder: what a gate shows names it in the place of the worker's own. */
  readonly cwd: string;
}

/** The gates of a run in the hands of workers. */
export interface OfferedGates {
  /** As `RunAway`, on what `pack` gives: kept in the fleet when it resolves. */
  readonly run: (
    order: AwayGateOrder,
    pack: () => Promise<Json>,
    signal: AbortSignal,
    say: (line: string) => void,
  ) => Promise<AwayGateResult>;
  /** Ends those that are under way. Never rejects. */
  readonly close: () => Promise<void>;
}

/** So often a gate is offered where each of its workers is lost; each retry that it may have is one more. */
const OFFERS = 3;
const AGAIN_MS = 1000;
const STOPPED: AwayGateResult = { kind: 'stopped' };

interface OpenGate extends OpenOrder {
  /** Of this offer: a report of another one of the same gate counts for nothing. */
  readonly offer: string;
  readonly settle: (result: AwayGateResult) => void;
  reading: Promise<void>;
}

/** Offers gates of a run to the workers of a fleet. Unlike a turn a gate may be run again, so one that is lost is offered anew. */
export function offerGates(made: GateOfferSettings): OfferedGates {
  const waiting = new Map<string, Promise<unknown>>();
  const over = new AbortController();
  const reports = createGateReports(made);
  const perform: OfferedGates['run'] = async (order, pack, asked, say) => {
    const signal = AbortSignal.any([asked, over.signal]);
    const most = OFFERS + (order.spec.retries ?? 0);
    let why = '';
    for (let offers = 1; offers <= most; offers += 1) {
      if (signal.aborted) return STOPPED;
      const result = await pack()
        .then((place) => offer(made, reports, { order, place, signal }))
        .catch((error: unknown) => toLost(`it could not be sent: ${toErrorMessage(error)}`));
      if (result.kind !== 'lost') return result;
      why = maskControls(result.why).slice(0, 500);
      if (offers < most) made.tell(`${toTitle(order)}: ${why}; it is offered anew.`);
      say(`[${why}]`);
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    return signal.aborted
      ? STOPPED
      : toLost(`not run: it was offered ${most} times, and no worker ran it to its end; the last time ${why}`);
  };
  return {
    // Requests of the same gate have one name.
    run: (order, ...more) => {
      const name = toGateOrderName(order.gate);
      const mine = (waiting.get(name) ?? Promise.resolve()).then(() => perform(order, ...more));
      waiting.set(name, mine);
      return mine;
    },
    close: async () => {
      over.abort();
      await Promise.all(waiting.values());
      await reports.close();
    },
  };
}

/** Hands each gate that is open what workers report of it. */
interface GateReports {
  /** By the names of their orders. */
  readonly open: Map<string, OpenGate>;
  /** Resolves when reports are heard. */
  readonly follow: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function createGateReports(made: GateOfferSettings): GateReports {
  const open = new Map<string, OpenGate>();
  let following: Promise<() => Promise<void>> | undefined;
  return {
    open,
    follow: () => {
      following ??= made.fleet.reports.follow(made.run, (report) => {
        const gate = open.get(report.name);
        if (gate !== undefined) gate.reading = gate.reading.then(() => readReport(made, gate, report)).catch(() => undefined);
      });
      return following;
    },
    close: async () => {
      await (await following?.catch(() => undefined))?.();
    },
  };
}

interface Offer {
  readonly order: AwayGateOrder;
  readonly place: Json;
  readonly signal: AbortSignal;
}

/** Offers a gate once. */
async function offer(made: GateOfferSettings, { open, follow }: GateReports, { order, place, signal }: Offer): Promise<AwayGateResult> {
  const { fleet, cwd, lostAfterMs } = made;
  const { gate, result } = openGate(made.run, order);
  const { id, labels, protocol } = gate;
  await follow();
  await dropOffer(made, id);
  const task: GateTask = { kind: 'gate', offer: gate.offer, cwd, ...order };
  const body = await toBody(fleet.blobs, { task, place, lostAfterMs } as unknown as Json);
  if (signal.aborted) return STOPPED;
  open.set(id.name, gate);
  const end = (): void => void giveUp(made, gate);
  try {
    await fleet.queue.offer({ ...id, labels, protocol, body });
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    watchOrder(made, gate).catch((error: unknown) => gate.lose(`the fleet could not be asked: ${toErrorMessage(error)}`));
    return await result;
  } finally {
    gate.isOver = true;
    signal.removeEventListener('abort', end);
    open.delete(id.name);
    if (made.isOwn()) await fleet.queue.forget(id).catch(() => undefined);
  }
}

function toTitle({ spec }: AwayGateOrder): string {
  return `Gate ${maskControls(toGateName(spec)).slice(0, 60)}`;
}

function toLost(why: string): AwayGateResult {
  return { kind: 'lost', why };
}

function openGate(run: string, order: AwayGateOrder): { readonly gate: OpenGate; readonly result: Promise<AwayGateResult> } {
  let settle: OpenGate['settle'] = () => undefined;
  const result = new Promise<AwayGateResult>((resolve) => {
    settle = resolve;
  });
  const gate: OpenGate = {
    id: { run, name: toGateOrderName(order.gate) },
    title: toTitle(order),
    ...{
      labels: order.spec.runsOn ?? [],
      protocol: GATE_PROTOCOL,
      offer: randomUUID(),
      isOver: false,
      worker: null,
      reading: Promise.resolve(),
    },
    settle: (how) => {
      gate.isOver = true;
      settle(how);
    },
    lose: (why) => gate.settle(toLost(why)),
  };
  return { gate, result };
}

/** What was offered under a name before, by this process or by one that died: its worker ends it, and has its place free. */
async function dropOffer({ fleet, confirm }: GateOfferSettings, id: WorkId): Promise<void> {
  await confirm();
  await fleet.queue.withdraw(id);
  await fleet.wires.ask(id, KILL);
  await fleet.queue.forget(id);
}

async function giveUp({ fleet, isOwn }: GateOfferSettings, gate: OpenGate): Promise<void> {
  if (isOwn()) {
    await fleet.queue.withdraw(gate.id).catch(() => false);
    await fleet.wires.ask(gate.id, KILL);
  }
  gate.settle(STOPPED);
}

async function readReport({ fleet }: GateOfferSettings, gate: OpenGate, { worker, body }: WorkReport): Promise<void> {
  const words = gate.isOver || !isSubjectPart(worker) ? null : parseGateWords(await fromBody(fleet.blobs, body), gate.offer);
  if (words === null) return;
  if (words.shown === null) return gate.lose(`the worker ${worker} could not run it: ${words.trouble}`);
  const log = words.log === null ? null : await fleet.blobs.get(words.log);
  gate.settle({ kind: 'ran', worker, shown: words.shown, log });
}
