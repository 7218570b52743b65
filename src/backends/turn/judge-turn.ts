import type { TurnFailure } from '../../core/run/turn.ts';
import { toDurationText } from '../../core/text/duration.ts';
import type { ProcessResult } from '../../process/contract.ts';
import { SILENCE_MS, type StreamEnd } from '../stream/translator.ts';

const RATE = /rate[ _-]?limit|too many requests|\b429\b/i;
/** How many attempts of one iteration that end in unexplained silence are taken for a limit; further ones are failures of the turn. */
const MAX_SILENT_LIMITS = 3;

export interface Judgement {
  readonly status: 'succeeded' | 'failed' | 'stopped';
  readonly failure: TurnFailure | null;
  readonly warnings: readonly string[];
}

/** Everything that a judgement rests on. */
export interface TurnEvidence {
  readonly process: ProcessResult;
  readonly end: StreamEnd;
  /** The final event came only after the process was told to end: some agents that are ended in the middle call it a success. */
  readonly isForced: boolean;
  /**
   * Why the process was asked to end first; `lingering`: it had finished and did not go; `refused`: it tried again after what no other try mends; `silent`: it tries again without a word, and
   * said nothing for too long; `dismissed`: it had handed over.
   */
  readonly endedFor: 'nobody' | 'person' | 'lingering' | 'refused' | 'silent' | 'dismissed';
  /** Which attempt of its iteration the turn was. */
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** The program, for messages. */
  readonly command: string;
  /** True where an agent that stays after its end is worth a word; some never leave by themselves. */
  readonly shouldLeave: boolean;
}

/** Judges a turn: the agent's own final event first, then how its process ended; exit code 0 alone is never a success. */
export function judgeTurn(evidence: TurnEvidence): Judgement {
  const { process, end, endedFor, isForced } = evidence;
  if (process.logError !== undefined) {
    return toFailed({ class: 'agent', message: `a log could not be written (${process.logError.code}: ${process.logError.message})` });
  }
  if (process.status === 'spawn-error') return toFailed({ class: 'spawn', message: explainSpawn(evidence) });
  if (process.stopReason === 'timeout' || process.stopReason === 'idle-timeout') return judgeTimeout(evidence, process.stopReason);
  // An agent that was only asked may have left by itself, but not of itself.
  if (endedFor === 'person' && (process.stopReason !== undefined || end.failure !== null)) {
    return { status: 'stopped', failure: null, warnings: [] };
  }
  if (endedFor === 'dismissed' && process.stopReason !== undefined) {
    return { status: 'succeeded', failure: null, warnings: ['the agent had handed over and said no more, but did not exit: it was ended'] };
  }
  if (endedFor === 'refused' && end.trouble !== null) return toFailed(end.trouble);
  if (endedFor === 'silent' && process.stopReason !== undefined) return toFailed(explainSilence(evidence));
  if (end.failure !== null) return toFailed(end.failure);
  if (isForced) return toFailed({ class: 'agent', message: `the agent ended with ${describeExit(process)} before its final event` });
  return { status: 'succeeded', failure: null, warnings: toExitWarnings(evidence) };
}

function judgeTimeout({ end, isForced, timeoutMs, idleTimeoutMs }: TurnEvidence, reason: 'timeout' | 'idle-timeout'): Judgement {
  const what =
    reason === 'timeout'
      ? `the turn took longer than ${toDurationText(timeoutMs)}`
      : `nothing was heard from the agent for ${toDurationText(idleTimeoutMs)}`;
  const verdict = isForced ? 'missing' : end.verdict;
  if (verdict === 'succeeded') return { status: 'succeeded', failure: null, warnings: [`${what} after its final event: it was ended`] };
  if (verdict === 'failed' && end.failure !== null) return toFailed(end.failure);
  if (end.trouble !== null) return toFailed({ ...end.trouble, message: `${end.trouble.message} (${what})` });
  return toFailed({ class: reason, message: what });
}

/**
 * An agent that tries again without a word was silent for too long. What it last told is the cause, a rate limit that holds for so long is a limit; where
 * nothing is known it is taken for a limit as well, but not for ever.
 */
function explainSilence({ end, command, attempt }: TurnEvidence): TurnFailure {
  const silence = `nothing was heard from ${command} for ${toDurationText(SILENCE_MS)}`;
  if (end.trouble !== null) {
    const isRate = end.trouble.class === 'transient' && RATE.test(end.trouble.message);
    return { ...end.trouble, ...(isRate && { class: 'limit' }), message: `${end.trouble.message} (${silence} while it tried again)` };
  }
  const why =
    'it tries again without a word where a quota or rate limit is used up (`limits: {watch: off}` waits for the idle limit instead)';
  return { class: attempt <= MAX_SILENT_LIMITS ? 'limit' : 'idle-timeout', message: `${silence}, and no program of it worked: ${why}` };
}

function toExitWarnings({ process, endedFor, shouldLeave }: TurnEvidence): readonly string[] {
  if (endedFor === 'lingering') return shouldLeave ? ['the agent had finished but did not exit: it was ended'] : [];
  if (process.exitCode === 0) return [];
  return [`the agent said that it succeeded, then its process ended with ${describeExit(process)}`];
}

function describeExit({ exitCode, signal }: ProcessResult): string {
  return exitCode === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`;
}

function toFailed(failure: TurnFailure): Judgement {
  return { status: 'failed', failure, warnings: [] };
}

function explainSpawn({ process, command }: TurnEvidence): string {
  const { code, message } = process.error ?? { code: 'unknown', message: 'unknown error' };
  const hints: Readonly<Record<string, string>> = {
    ENOENT: 'the interpreter named in its first line, or the working folder, is not there',
    EACCES: 'it may not be executed (chmod +x), or its interpreter may not',
    ENOEXEC: 'it is not a program for this machine; a script needs a first line such as #!/bin/sh',
    E2BIG: 'its arguments and environment are too long for the system',
    EMFILE: 'too many files are open',
    ENOMEM: 'there is not enough memory',
    EAGAIN: 'there are too many processes',
  };
  const hint = message.startsWith('working folder') ? undefined : hints[code];
  return `${command} could not be started: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}
