import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { Usage } from '../../core/backends/usage.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import type { SpokenWords } from '../../ports/people.ts';
import type { ProcessResult } from '../../process/contract.ts';

/** How the agent's process ended, as far as translating its words needs to know. */
export interface ExitFacts extends Pick<ProcessResult, 'exitCode' | 'signal' | 'stderrTail'> {
  /** Epoch milliseconds, for reset times that are told relative to now. */
  readonly now: number;
}

/**
 * What the agent itself says about its turn: `succeeded` and `failed` by its final event, `missing` when its stream should have had one,
 * `none` when it has no such thing and the exit code decides.
 */
export type StreamVerdict = 'succeeded' | 'failed' | 'missing' | 'none';

/** Everything a stream told, once it is over. */
export interface StreamEnd {
  /** What was still held back. */
  readonly events: readonly BackendEvent[];
  readonly verdict: StreamVerdict;
  /** Present unless the turn succeeded. */
  readonly failure: TurnFailure | null;
  /** What the agent last said that it tries again after, if it got nowhere since: it explains a turn that a safeguard ended. */
  readonly trouble: TurnFailure | null;
  /** Totals of the turn. `inputTokens` are those that were not read from a cache, whatever the CLI counts in. */
  readonly usage: Usage;
  readonly sessionId: string | null;
  readonly toolCalls: number | null;
}

/** A failure that no other try can mend, of an agent that announced another try all the same. */
export interface FutileRetry {
  readonly failure: TurnFailure;
  /** Announced more than once in a row: the first may be the renewal of a login. */
  readonly isRepeated: boolean;
}

/** The log of an agent that tries again without a word in its stream. */
export interface OwnLog {
  /** The file it lies in (absolute), by the agent's environment and folder; `null` as long as it is not known. Absent: it comes on standard error. */
  file?(env: Readonly<Record<string, string>>, cwd: string): string | null;
  /** One line of it. Takes any text and never throws. */
  line(text: string): readonly BackendEvent[];
  /** Whether log or stream say that the model is answering or a tool works, so that silence means nothing. */
  isAtWork(): boolean;
}

/** How long an agent that tries again without a word may say nothing while neither the model nor a program seems to be at work. */
export const SILENCE_MS = 120_000;

/** Turns one agent's output into our events, line by line, without IO. Takes any text and never throws. */
export interface Translator {
  /** One line of standard output, without its line end. */
  line(text: string): readonly BackendEvent[];
  /** The beginning of a line that does not go on at the moment, again whenever it has grown; `line` has it whole later. Absent: lines alone say something. */
  part?(text: string): readonly BackendEvent[];
  /** Whether the final event has come and nothing since says that the agent goes on. */
  isFinished(): boolean;
  end(exit: ExitFacts): StreamEnd;
  /** False where the agent speaks plain text, so that nothing but its exit says that it is done. */
  readonly hasFinalEvent?: false;
  /** The failure after which the agent tries again although no other try can mend it; `null` where there is none. Absent: the stream does not tell. */
  refusal?(now: number): FutileRetry | null;
  /** Present where the agent tries again without a word. */
  readonly ownLog?: OwnLog;
  /** Present where the agent is talked to over its standard input while it runs. */
  readonly dialogue?: Dialogue;
}

/** What has to be written to the agent's standard input, one message a line. */
export interface Dialogue {
  /** The first words. */
  open(): readonly string[];
  /** What has to be said after the lines so far. */
  replies(): readonly string[];
  /** The words that ask the agent to end its turn. Absent: its process is asked at once. */
  cancel?(): readonly string[];
  /** What a person says while it works. Absent: it cannot be told. */
  tell?(words: SpokenWords): readonly string[];
}
