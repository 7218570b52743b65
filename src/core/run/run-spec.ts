import type { GateSpec } from '../gates/gate-spec.ts';
import { type Json, readOwn } from '../values/json.ts';
import type { PanelSpec } from './panel-spec.ts';

/**
 * The run as it was declared: complete (every default filled in), plain JSON, without secrets and local paths.
 * It is stored in the journal's first input, so that a journal replays without the configuration it came from.
 */
export interface RunSpec {
  /** What the person asked for. */
  readonly objective: string;
  readonly coordinator: 'auto' | 'ralph' | 'hats';
  /** The key `mode`; `null` when the file does not say. Files with a mode let a target lift `publishes`. */
  readonly mode: 'single' | 'multi' | null;
  readonly promise: string;
  readonly startingEvent: string | null;
  readonly startingHat: string | null;
  readonly recoveryHat: string | null;
  readonly routing: 'exclusive' | 'fanout';
  /** How many hats that wait at the same time work at the same time; absent: they take turns. */
  readonly maxParallel?: number;
  readonly eventSources: readonly ('jsonl' | 'text')[];
  readonly terminalEvents: readonly string[];
  readonly requiredEvents: readonly string[];
  /** `null` where the file has no `hats:` key: solo. In the order of the file. */
  readonly hats: readonly HatSpec[] | null;
  readonly ralph: RalphSpec;
  readonly limits: RunLimits;
  readonly loopDetection: LoopDetection;
  readonly retry: RetrySpec;
  readonly onLimit: 'wait' | 'switch' | 'stop';
  readonly gates: readonly GateSpec[];
  /** Whose events and completions hooks are asked about; absent: nobody's. */
  readonly hooked?: HookedSpec;
  /** What is known of topics; absent where nothing is. */
  readonly events?: EventContracts;
}

/** By ids of hats, `ralph` and `external`. */
export interface HookedSpec {
  /** Before their events are routed. */
  readonly publish: readonly string[];
  /** Before their completion is accepted. */
  readonly complete: readonly string[];
}

/** What an agent may publish: a topic or pattern, or an edge to one hat. */
export interface PublishSpec {
  readonly topic: string;
  readonly target?: string;
}

/** A persona. */
export interface HatSpec {
  /** The key under `hats:`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly triggers: readonly string[];
  readonly publishes: readonly PublishSpec[];
  readonly defaultPublishes: readonly string[];
  readonly transitions: readonly string[];
  /** The user's own words; empty where they are to be derived. */
  readonly instructions: string;
  readonly maxActivations: number | null;
  /** How many of the events that wait for it one turn is given; absent: all. */
  readonly takes?: 'one';
  /** How many of its turns are at work at once where so many events wait for it, each with one of them. Absent: one after the other. */
  readonly parallel?: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Labels of the backends, in the order in which `on_limit: switch` tries them; at least one. Of a panel: that of each of its agents. */
  readonly backends: readonly string[];
  /** It takes its turns alone, also where hats work at the same time. */
  readonly alone?: true;
  /** Several agents wear it; absent: one does. */
  readonly panel?: PanelSpec;
}

export interface RalphSpec {
  readonly instructions: string;
  readonly backends: readonly string[];
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

export interface RunLimits {
  readonly maxIterations: number;
  readonly maxRuntimeMs: number;
  /** `null`: no limit. */
  readonly maxCostUsd: number | null;
  readonly maxConsecutiveFailures: number;
  /** Iterations between two checkpoints; 0: none. */
  readonly checkpointInterval: number;
  readonly cooldownMs: number;
}

/** How often something must be seen in a row to be called a loop; 0 switches a detector off. */
export interface LoopDetection {
  readonly repetition: number;
  readonly oscillation: number;
}

/** Backoff for transient errors: `baseMs * 2^(attempt-1)`, at most `maxMs`, at most `maxAttempts` attempts of an iteration. */
export interface RetrySpec {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

/** What is known of a topic beyond who publishes and takes it. */
export interface EventContract {
  /** For people and agents: what the event says. */
  readonly description?: string;
  /** JSON Schema of the payload: an object or a truth value, without faults. */
  readonly schema?: Json;
}

/** By topic, written out. */
export type EventContracts = Readonly<Record<string, EventContract>>;

/** Whether a payload is what its topic's schema asks for: the payload as it is handed on, or what is wrong with it. */
export type PayloadVerdict = { readonly payload: Json } | { readonly problem: string };

/** Holds the schema of a topic against a payload. A topic without one takes everything. */
export type PayloadCheck = (topic: string, payload: Json) => PayloadVerdict;

/** The contract of a topic; `undefined` where there is none. */
export function contractOf(contracts: EventContracts | undefined, topic: string): EventContract | undefined {
  return contracts === undefined ? undefined : readOwn(contracts, topic);
}
