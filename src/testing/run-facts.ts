import type { DeliveryKind, RejectionCause } from '../core/run/effects.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { FailureClass } from '../core/run/turn.ts';
import type { Json } from '../core/values/json.ts';

/** One run: what its journal says. */
export interface RunFacts {
  /** `null` for a run that did not start. */
  readonly runId: string | null;
  /** How it ended each time: an end reason, or `killed`. */
  readonly ends: readonly RunEndFacts[];
  /** The error for which it did not start. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The codes with which attempts to start another run beside it were refused. */
  readonly rivals: readonly string[];
  /** Iterations that count. */
  readonly iterations: number;
  readonly turns: readonly TurnFacts[];
  readonly events: readonly EventFacts[];
  readonly refused: readonly RefusalFacts[];
  readonly notices: readonly { readonly code: string; readonly text: string }[];
  readonly costUsd: number | null;
  readonly commits: readonly string[];
  readonly durationMs: number;
}

export interface RunEndFacts {
  readonly reason: EndReason | 'killed';
  readonly detail: string;
  readonly exitCode: number | null;
}

/** One attempt of one iteration. */
export interface TurnFacts {
  readonly iteration: number;
  readonly attempt: number;
  readonly hat: string;
  /** The label of the backend. */
  readonly backend: string;
  /** Topics it was handed. */
  readonly given: readonly string[];
  readonly status: 'running' | 'succeeded' | 'failed' | 'interrupted';
  readonly failure: { readonly class: FailureClass; readonly message: string } | null;
  readonly exitCode: number | null;
  readonly costUsd: number | null;
  readonly leftovers: number;
  /** What the agent was asked, as the run kept it. */
  readonly prompt: string;
  /** The call of the scripted agent; `null` where none was started. */
  readonly call: AgentCall | null;
  /** How the prompt reached it; `null` where it did not, whole and unchanged. */
  readonly promptBy: 'arg' | 'stdin' | 'file' | null;
}

export interface EventFacts {
  readonly id: string;
  readonly iteration: number;
  readonly topic: string;
  readonly source: string;
  readonly target: string | null;
  readonly payload: Json;
  readonly to: readonly string[];
  readonly how: DeliveryKind;
}

export interface RefusalFacts {
  readonly iteration: number;
  readonly hat: string;
  readonly topic: string;
  readonly why: RejectionCause;
  readonly allowed: readonly string[];
}

/** How the scripted agent was called. */
export interface AgentCall {
  /** 1, 2, 3, … over the whole scenario. */
  readonly call: number;
  readonly pid: number | null;
  /** The name of the program, without its folder. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Its calls of `ralph emit`. */
  readonly emits: readonly { readonly exit: number | null; readonly text: string }[];
  /** False where the scenario had no turn left for it. */
  readonly isScripted: boolean;
}
