import type { EndReason, StopRequested } from '../core/index.ts';
import { isRalphError } from '../core/index.ts';
import type { RunEndFacts } from './scenario-result.ts';

/** One life of an orchestrator: from `run` or `resume` to its end. */
export interface Segment {
  readonly stop: (how: StopRequested['how']) => void;
  /** `kill -9`; only for an orchestrator of its own process. */
  readonly kill: () => void;
  /** Settles when it is over; never rejects. */
  readonly ended: Promise<SegmentEnd>;
}

/** How a life ended: by an end of the run, or before it began, by an error. */
export interface SegmentEnd {
  readonly runId: string | null;
  readonly end: RunEndFacts | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What an orchestrator is told to do. */
export type SegmentOrder =
  | { readonly kind: 'run'; readonly prompt: string | undefined; readonly worktree: string | null }
  | {
      readonly kind: 'resume';
      readonly maxIterations: string | number | undefined;
      readonly maxCostUsd: number | undefined;
      readonly acceptChanges: boolean;
    };

/** An end that the run told itself. */
export function toEnd(runId: string, reason: EndReason, detail: string, exitCode: number): SegmentEnd {
  return { runId, end: { reason, detail, exitCode }, error: null };
}

/** A refusal, as a person would see it. */
export function toRefused(error: unknown): SegmentEnd {
  if (isRalphError(error))
    return { runId: null, end: null, error: { code: error.code, message: [error.message, error.fix ?? ''].join('\n').trim() } };
  return {
    runId: null,
    end: null,
    error: { code: 'defect', message: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  };
}
