import type { Json } from '../core/values/json.ts';

/** A piece of work for a worker: one turn of one run. */
export interface WorkOrder {
  /** Of the run. */
  readonly run: string;
  /** In that run; the same one twice is one order: `7.1`. */
  readonly name: string;
  /** What a worker must have, all of it: `claude`, `gpu`. Not empty. */
  readonly labels: readonly string[];
  /** Of whoever offers it: a worker that does not know it leaves the order alone. */
  readonly protocol: number;
  readonly body: Json;
}

/** Which order is meant. */
export type WorkId = Pick<WorkOrder, 'run' | 'name'>;

/**
 * How an order stands. `beat` differs from every earlier one as long as its worker lives: whoever watches judges by a clock of its own how long it has stayed the same,
 * so clocks of machines are never compared.
 */
export type WorkStanding =
  | { readonly kind: 'offered' }
  | { readonly kind: 'held'; readonly worker: string; readonly beat: number }
  | { readonly kind: 'over' };

/**
 * Orders that workers take. An order is held at most once, ever: whoever loses it does not get it back, and nobody else gets it.
 *
 * Contract: what has resolved is durable where the kind of fleet says so; all methods may be called again after a failure.
 */
export interface WorkQueue {
  readonly offer: (order: WorkOrder) => Promise<void>;
  /** The oldest order that these labels can serve, held by this worker from now on; `null` when aborted. */
  readonly claim: (worker: WorkerFacts, signal: AbortSignal) => Promise<WorkClaim | null>;
  /** Of one that is not known: over. */
  readonly look: (id: WorkId) => Promise<WorkStanding>;
  /** Ends an order for whoever holds it. With `held`, only if it still stands so. False: it had changed. */
  readonly withdraw: (id: WorkId, held?: WorkStanding) => Promise<boolean>;
  /** Forgets it. */
  readonly forget: (id: WorkId) => Promise<void>;
}

/** What a worker can do. */
export interface WorkerFacts {
  readonly id: string;
  readonly labels: readonly string[];
  readonly protocol: number;
}

/** An order in the hands of a worker. */
export interface WorkClaim {
  readonly order: WorkOrder;
  /** Says that the worker lives. False: the order is not its own any more, and nothing that it made counts. */
  readonly beat: () => Promise<boolean>;
  /** As `beat`, for the last time: its report is there. */
  readonly end: () => Promise<boolean>;
}

/** What a worker reports of an order, in order. */
export interface WorkReport extends WorkId {
  readonly worker: string;
  /** 1, 2, 3, …; the same number again is the same report. */
  readonly number: number;
  readonly body: Json;
}

/** Reports of workers: durable, seen in the order in which they were written. */
export interface Reports {
  readonly append: (report: WorkReport) => Promise<void>;
  /** Those of a run, from the first on, and then as they come, until it is closed. */
  readonly follow: (run: string, visit: (report: WorkReport) => void) => Promise<() => Promise<void>>;
  /** Forgets those of a run. */
  readonly forget: (run: string) => Promise<void>;
}

/** Large things by what they hold. */
export interface Blobs {
  /** Its SHA-256. */
  readonly put: (bytes: Uint8Array) => Promise<string>;
  /** `null`: it is not there, or not what its name says. */
  readonly get: (hash: string) => Promise<Uint8Array | null>;
}

/** What passes by: at most once, and nothing is kept. */
export interface Wires {
  /** Asks the worker that holds an order. False: nobody has it, or nobody answered in time. */
  readonly ask: (id: WorkId, words: Json) => Promise<boolean>;
  /** Hears what is asked of the worker of an order; the function that is returned ends it. */
  readonly answer: (id: WorkId, hear: (words: Json) => void) => () => void;
  readonly show: (id: WorkId, live: Json) => void;
  /** What workers show of a run; the function that is returned ends it. */
  readonly watch: (run: string, see: (name: string, live: Json) => void) => () => void;
}

/** Workers that are there. */
export interface WorkerList {
  /** Again and again: one that says nothing for {@link WORKER_GONE_MS} is gone. */
  readonly tell: (worker: WorkerState) => Promise<void>;
  readonly leave: (id: string) => Promise<void>;
  readonly list: () => Promise<readonly WorkerState[]>;
}

/** How a worker is. */
export interface WorkerState extends WorkerFacts {
  readonly slots: number;
  /** Orders that it holds: run and name. */
  readonly busy: readonly WorkId[];
  /** It takes no more. */
  readonly isDraining: boolean;
}

export const WORKER_GONE_MS = 30_000;

/** A connection to a fleet. */
export interface Fleet {
  readonly queue: WorkQueue;
  readonly reports: Reports;
  readonly blobs: Blobs;
  readonly wires: Wires;
  readonly workers: WorkerList;
  readonly close: () => Promise<void>;
}
