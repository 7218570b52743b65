import type { Json } from '../core/values/json.ts';

/** A piece of work for a worker: one turn of one run, or one of its gates or hooks. */
export interface WorkOrder {
  /** Of the run. */
  readonly run: string;
  /** In that run; the same one twice is one order: `7.1`, `gate3`, or `hook2`. */
  readonly name: string;
  /** What a worker must have, all of it: `claude`, `gpu`. Not empty. */
  readonly labels: readonly string[];
  /** What a worker must understand: one that knows less leaves the order alone. */
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
  /** `worker`: who ended it; absent: it was withdrawn or forgotten, or its worker is of an older version. */
  | { readonly kind: 'over'; readonly worker?: string };

/**
 * Orders that workers take. An order is held at most once, ever: whoever loses it does not get it back, and nobody else gets it.
 *
 * Contract: what has resolved is durable where the kind of fleet says so; all methods may be called again after a failure.
 */
export interface WorkQueue {
  readonly offer: (order: WorkOrder) => Promise<void>;
  /** Says once more that it is offered, if nobody has taken it: whoever waits may not have heard of it. */
  readonly remind: (id: WorkId) => Promise<void>;
  /** The oldest order that these labels can serve, held by this worker from now on; `null` when aborted. With `accept`, one that is not accepted is left alone, and asked about again soon. */
  readonly claim: (worker: WorkerFacts, signal: AbortSignal, accept?: AcceptOrder) => Promise<WorkClaim | null>;
  /** Of one that is not known: over. */
  readonly look: (id: WorkId) => Promise<WorkStanding>;
  /** Ends an order for whoever holds it. With `held`, only if it still stands so. False: it had changed. */
  readonly withdraw: (id: WorkId, held?: WorkStanding) => Promise<boolean>;
  /** Forgets it. */
  readonly forget: (id: WorkId) => Promise<void>;
  /** Forgets all of a run. */
  readonly forgetRun: (run: string) => Promise<void>;
}

/** @param waitedMs for how long it was seen to wait; infinite: it was there before anybody here looked */
export type AcceptOrder = (order: WorkOrder, waitedMs: number) => Promise<boolean>;

/** What a worker can do. */
export interface WorkerFacts {
  readonly id: string;
  readonly labels: readonly string[];
  /** It understands this one, and those before it. */
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
  /** Counts on, from one that the worker drew when it took the order; the same number again is the same report. */
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
  /** `null`: it is not there, or not what its name says. Rejects with `fleet-too-large` where it is larger than it may be, before it is in memory. */
  readonly get: (hash: string, reading?: BlobReading) => Promise<Uint8Array | null>;
}

/** How something large is fetched. */
export interface BlobReading {
  readonly maxBytes?: number;
  /** Called whenever some of it has come, with how many where that is known. */
  readonly onBytes?: (bytes?: number) => void;
  /** Aborted: nobody wants it any more. It rejects then, where it takes long. */
  readonly signal?: AbortSignal;
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
  /** Again and again: one that says nothing for {@link WORKER_GONE_MS} is gone. False: another one that is in the list has that name, and stays there. */
  readonly tell: (worker: WorkerState) => Promise<boolean>;
  /** Takes off the list what was told under that name with that token. */
  readonly leave: (worker: Pick<WorkerState, 'id' | 'token'>) => Promise<void>;
  readonly list: () => Promise<readonly ListedWorker[]>;
  /** Asks one to take no more orders and to end when it has none. False: nobody of that name heard it. */
  readonly drain: (id: string) => Promise<boolean>;
  /** Hears that; the function that is returned ends it. */
  readonly onDrain: (id: string, hear: () => void) => () => void;
}

/** How a worker is. */
export interface WorkerState extends WorkerFacts {
  /** Made up once for its folder: by it a worker that was killed is known when it is started again, and another one of the same name is not taken for it. No secret. */
  readonly token: string;
  readonly slots: number;
  /** Orders that it holds. */
  readonly busy: readonly BusyWork[];
  /** It takes no more. */
  readonly isDraining: boolean;
}

/** An order that a worker holds, for people. */
export interface BusyWork extends WorkId {
  /** Whose round of a panel it is, by the name of the configuration; absent: it is none. */
  readonly agent?: string;
}

/** A worker as it stands in the list. */
export interface ListedWorker extends WorkerState {
  /** For how long it has said nothing, as far as that is known. */
  readonly silentMs: number;
}

export const WORKER_GONE_MS = 30_000;
/** A worker says more often that it is there: one that has been silent for so long may be gone, and nothing is expected of it. */
export const WORKER_SILENT_MS = 12_000;

/**
 * What is kept of a run so that another process can go on with it: records in the order in which they were written.
 *
 * Contract: what `append` has resolved for is durable where the kind of fleet says so; of two who write behind the same place one is refused.
 */
export interface RunLog {
  /** Writes records behind a place. The place behind them; `null` where somebody else has written there. With the same `name` it is the same writing. */
  readonly append: (run: string, writing: LogWriting) => Promise<LogPlace | null>;
  /** Gives every writing to `visit`, oldest first. The place behind the last one. */
  readonly read: (run: string, visit: (body: Json) => void) => Promise<LogPlace>;
  readonly forget: (run: string) => Promise<void>;
  /** As `read`, and then each as it is written, until it is closed. Resolves when what was there has been given. */
  readonly follow: (run: string, visit: (body: Json) => void) => Promise<() => Promise<void>>;
}

/** 0: nothing has been written. */
export type LogPlace = number;

/** What is written at once. */
export interface LogWriting {
  readonly behind: LogPlace;
  readonly name: string;
  readonly body: Json;
}

/** Which process has a run: `free` when it has let go of it, `ended` when nobody has to go on with it. */
export interface RunLease {
  readonly run: string;
  /** Counts those who had it. */
  readonly epoch: number;
  /** The folder in which it is; a name that was made up. */
  readonly place: string;
  /** The machine's name, for people. */
  readonly host: string;
  /** The worker that goes on with it; absent: a process of a person. */
  readonly worker?: string;
  readonly state: 'held' | 'free' | 'ended';
  /** One that was not renewed for so long may be taken by others. */
  readonly lostAfterMs: number;
  /** What the run is for, and how it ended: a line for people. */
  readonly title: string;
}

/** A lease as it stands. `beat` differs from every earlier one: whoever watches judges by a clock of its own how long it has stayed the same. */
export interface KeptLease {
  readonly lease: RunLease;
  readonly beat: number;
}

/** Who has which run. A lease changes by compare-and-swap alone. */
export interface RunLeases {
  readonly look: (run: string) => Promise<KeptLease | null>;
  /** Writes it if it still stands as it was seen; 0: there is none. The new beat, `null` where it had changed. */
  readonly write: (lease: RunLease, beat: number) => Promise<number | null>;
  /** Forgets it if it still stands as it was seen. False: it had changed. */
  readonly forget: (run: string, beat: number) => Promise<boolean>;
  readonly list: () => Promise<readonly KeptLease[]>;
}

/** What a person says to a run from another machine. */
export interface SteerWord {
  /** The same one twice is one word. */
  readonly id: string;
  readonly body: Json;
}

/** People say something to a run from another machine: the process that has the run hears it, and answers. It passes by: nothing is kept. */
export interface SteerLine {
  /** Asks the process that has a run. What it says; `null`: nobody has it, or nobody answered in time. May be asked again with the same id. Rejects with `fleet-steer-forbidden` where the account may not. */
  readonly ask: (run: string, word: SteerWord) => Promise<Json>;
  /**
   * Hears what is asked of a run: each id once, however often it comes; one that is asked again gets the same answer. `null` from `hear` is no answer, and the word may come again.
   * The function that is returned ends it.
   */
  readonly answer: (run: string, hear: (word: SteerWord) => Promise<Json>) => () => void;
}

/**
 * What people say to a run while nobody has it, kept with the run until whoever goes on with it has heard it.
 *
 * Contract: what `keep` has resolved for is durable where the kind of fleet says so. Whoever has heard a word may be lost before it is dropped, so a word may be listed again.
 */
export interface KeptWords {
  /** The same id twice is one word, as long as it is kept. Rejects with `fleet-steer-forbidden` where the account may not. */
  readonly keep: (run: string, word: SteerWord) => Promise<void>;
  /** Those of a run, oldest first; of very many the first. */
  readonly list: (run: string) => Promise<readonly SteerWord[]>;
  /** Forgets one that was heard. */
  readonly drop: (run: string, id: string) => Promise<void>;
  /** Forgets all of a run. */
  readonly forget: (run: string) => Promise<void>;
}
/** What became of a fleet: `gone`: nothing of it is there, and it may be put back; `other`: another one is in its place, which knows nothing of what this one knew. */
export type FleetFate = 'same' | 'gone' | 'other';

/** A connection to a fleet. */
export interface Fleet {
  /** Whether it is the one that was connected to. Rejects where it cannot be asked. */
  readonly check: () => Promise<FleetFate>;
  readonly queue: WorkQueue;
  readonly reports: Reports;
  readonly blobs: Blobs;
  readonly wires: Wires;
  readonly workers: WorkerList;
  readonly log: RunLog;
  readonly leases: RunLeases;
  readonly steer: SteerLine;
  readonly words: KeptWords;
  readonly close: () => Promise<void>;
}
