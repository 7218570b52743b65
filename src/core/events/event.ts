import { isJsonObject, type Json } from '../values/json.ts';

/** A message of the run, as it was accepted by the loop. */
export interface RalphEvent {
  /** `e1`, `e2`, …: a counter, unique in the run. */
  readonly id: string;
  readonly topic: string;
  readonly payload: Json;
  /** The hat that published it, `ralph`, `external`, `system` or `quality_gate`. */
  readonly source: string;
  /** The hat it is meant for, when the publisher named one. */
  readonly target?: string;
  /** Who published it from outside; absent for what the run's own hats and the loop publish. */
  readonly sender?: Sender;
  /** The command by which a person told it (`ralph tell`); absent for every other event. */
  readonly told?: string;
  /** Epoch milliseconds. */
  readonly ts: number;
  /** The iteration in which it was published; 0 before the first. */
  readonly iteration: number;
}

export type SignalChannel = 'jsonl' | 'text';

/** An event as an agent wrote it: parsed and bounded, but not yet checked against any contract. */
export interface EventSignal {
  readonly kind: 'event';
  readonly channel: SignalChannel;
  readonly topic: string;
  readonly payload: Json;
  readonly target?: string;
  /** Who published it from outside. Never read from what agents write. */
  readonly sender?: Sender;
  /** What is wrong with the payload, where its topic has a schema and it is not what that asks for: the event is refused. */
  readonly payloadProblem?: string;
  /** The command refused it already, for this: it is on record, and nothing else. */
  readonly refused?: Pick<RefusedEmit, 'why' | 'detail'>;
}

/** A try to publish that the command refused at once, as it noted it in the agents' file. */
export interface RefusedEmit {
  readonly topic: string;
  readonly why: 'scope' | 'payload';
  /** In words, at most 300 characters. */
  readonly detail: string;
}

/** The completion promise, on a line of its own in the final text. */
export interface PromiseSignal {
  readonly kind: 'promise';
  readonly channel: SignalChannel;
}

/** A legacy `HAT_TRANSITION:hat` line. */
export interface TransitionSignal {
  readonly kind: 'transition';
  readonly hat: string;
}

/** Something that could not be read; never fatal, always reported. */
export interface SignalProblem {
  /** Where, for a person: `.agent/events.jsonl:12` or `output`. */
  readonly where: string;
  readonly message: string;
  /** The beginning of the offending text, at most 200 characters. */
  readonly excerpt: string;
}

/** Something that looks like a signal and is none, because of how it was written; `topic` is `null` for the promise. */
export interface MissedSignal {
  readonly topic: string | null;
  /** Its line, at most 200 characters. */
  readonly line: string;
}

export type Signal = EventSignal | PromiseSignal | TransitionSignal;

export interface TurnSignals {
  readonly signals: readonly Signal[];
  readonly problems: readonly SignalProblem[];
}

/** Keeps what is found in a text, within bounds: a payload that is too long is cut and reported. */
export interface SignalCollector extends TurnSignals {
  readonly add: (signal: Signal) => void;
  readonly report: (message: string, excerpt: string) => void;
}

/** Who published from outside of a run, and by what they were known as a person. */
export interface Sender {
  readonly pid: number;
  readonly user: string;
  /**
   * `terminal`: a terminal of their own; `token`: the run's token; `namespace`: the run's own process namespace, where agents have others;
   * `program`: the program that runs the run itself; `fleet`: an account of the fleet that keeps the run, on whatever machine.
   */
  readonly how: (typeof WAYS)[number];
  /** By which the program knows its own words again; never on record. */
  readonly proof?: string;
}

const WAYS = ['terminal', 'token', 'namespace', 'program', 'fleet'] as const;

const MAX_USER_LENGTH = 64;
const MAX_PROOF_LENGTH = 64;

/** Reads a sender; `null` for anything else. Never throws. */
export function parseSender(value: Json | undefined): Sender | null {
  if (!isJsonObject(value)) return null;
  const { pid, user, how, proof } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || typeof user !== 'string') return null;
  const known = WAYS.find((way) => way === how);
  if (known === undefined) return null;
  const proven = typeof proof === 'string' && proof.length <= MAX_PROOF_LENGTH ? { proof } : {};
  return { pid, user: user.slice(0, MAX_USER_LENGTH), how: known, ...proven };
}

/** `root, process 71, by terminal` */
export function toSenderText({ pid, user, how }: Sender): string {
  return `${user}, process ${pid}, by ${how}`;
}

/** An event that passed the contract but has no id yet. */
export interface EventDraft extends Pick<RalphEvent, 'topic' | 'payload' | 'target' | 'source' | 'sender' | 'told'> {
  /**
   * Published by the loop in the hat's stead (`default_publishes`, a failed gate, a failed gate that somebody else is to resolve): says
   * nothing about progress.
   */
  readonly by?: 'default' | 'gate' | 'escalation';
  /** Who published what a gate blocked, where the source is the gate. */
  readonly publishedBy?: string;
  /** For a default: the turn in whose stead it is published changed no file. */
  readonly isIdle?: true;
  /** Of a hat with several turns at once: what its turn was given, hashed. The same answer to something else is no loop. */
  readonly given?: string;
  /** For a completion: why tests were changed, as whoever claims it says. */
  readonly changedTests?: string;
}

export interface Tell {
  /** Of the command by which it was told. */
  readonly id: string;
  readonly text: string;
  /** The hat that it is for; `null`: whoever works now, else next. */
  readonly to: string | null;
  /**
   * `now`: between two steps of the turn that runs, where its agent can be told; `next`: with the next prompt; `interrupt`: the running turn is ended, and its hat
   * begins again with it.
   */
  readonly when: 'now' | 'next' | 'interrupt';
  readonly sender: Sender;
}
