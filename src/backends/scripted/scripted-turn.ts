import type { BackendEvent, TurnFailure, Usage } from '../../core/index.ts';
import type { TurnRequest } from '../../ports/index.ts';

/** One turn that was written beforehand. */
export interface ScriptedTurn {
  /** What the agent says; several texts are several messages. */
  readonly output?: string | readonly string[];
  /** How long the turn takes, by the clock that the backend was given. Default 0. */
  readonly delayMs?: number;
  /** What the agent does, after the delay and before it speaks: append events, edit files. What it throws fails the turn. */
  readonly act?: (request: TurnRequest) => void | Promise<void>;
  /** Told after the output, before the end. */
  readonly events?: readonly BackendEvent[];
  /** Anything but 0 fails the turn. Default 0. */
  readonly exitCode?: number;
  /** Fails the turn with this, whatever the exit code. */
  readonly failure?: TurnFailure;
  /** Never ends by itself. */
  readonly hang?: boolean;
  readonly usage?: Usage;
  readonly sessionId?: string;
  readonly toolCalls?: number;
}
