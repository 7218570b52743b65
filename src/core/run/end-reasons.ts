export type EndReason =
  | 'completed'
  | 'stalled'
  | 'loop_detected'
  | 'consecutive_failures'
  | 'gate_refused'
  | 'config_invalid'
  | 'workspace_gone'
  | 'storage_failed'
  | 'max_iterations'
  | 'max_runtime'
  | 'max_cost'
  | 'parked'
  | 'interrupted'
  | 'terminated'
  | 'hangup';

/** One row of the table that docs, `--help` and the exit code come from. */
export interface EndReasonFacts {
  readonly exitCode: number;
  /** One sentence for people. */
  readonly text: string;
  /** What `ralph resume` can do about it; empty where nothing. */
  readonly next: string;
}

/** In the detail of a run that ended as the server of its fleet did not answer for too long. */
export const FLEET_UNASKED = 'the fleet could not be asked';
/** In the detail of a run that ended as another fleet, or an empty one, was in the place of its own. */
export const FLEET_REPLACED = 'its fleet was made anew';
/** In the detail of a run that ended as somebody else had taken it in the fleet. */
export const TAKEN_ELSEWHERE = 'another process goes on with this run';

/** The one table of end reasons and exit codes. */
export const END_REASONS: Readonly<Record<EndReason, EndReasonFacts>> = {
  completed: { exitCode: 0, text: 'The work was declared complete by somebody who may, and no required gate refused.', next: '' },
  stalled: {
    exitCode: 1,
    text: 'Three fallback turns in a row brought no event, no promise and no change of a file.',
    next: 'Sharpen the prompt, then `ralph resume --accept-changes`.',
  },
  loop_detected: {
    exitCode: 1,
    text: 'The same events went round without anything new in them.',
    next: 'See who caused what: `ralph events --graph --last 12`. Fix the team, then `ralph resume --accept-changes`.',
  },
  consecutive_failures: {
    exitCode: 1,
    text: 'Too many turns in a row failed.',
    next: 'See `ralph show`, fix the agent (`ralph doctor`), then `ralph resume --accept-changes`.',
  },
  gate_refused: {
    exitCode: 1,
    text: 'The completion was refused by a gate, or held back by a hook, too often in a row.',
    next: 'See the gate’s output: `ralph gates --run`. Fix what it shows, then `ralph resume`.',
  },
  config_invalid: { exitCode: 1, text: 'The configuration cannot be run.', next: '' },
  workspace_gone: {
    exitCode: 1,
    text: 'The folder the run works in is no longer there.',
    next: 'Bring the folder back, then `ralph resume`.',
  },
  storage_failed: { exitCode: 1, text: 'The journal or a log could not be kept.', next: 'Fix what it names, then `ralph resume`.' },
  max_iterations: { exitCode: 2, text: 'The limit of iterations is used up.', next: 'Go on with `ralph resume --max-iterations +10`.' },
  max_runtime: {
    exitCode: 2,
    text: 'The limit of running time is used up.',
    next: 'Go on with `ralph resume --max-runtime +1h`.',
  },
  max_cost: { exitCode: 2, text: 'The limit of cost is used up.', next: 'Go on with `ralph resume --max-cost USD`.' },
  parked: {
    exitCode: 2,
    text: 'The run waits for what it cannot bring about: the reset of a usage limit, or a person.',
    next: 'Go on then with `ralph resume`.',
  },
  interrupted: { exitCode: 130, text: 'A person, or a limit of the queue, stopped the run.', next: 'Go on with `ralph resume`.' },
  terminated: { exitCode: 143, text: 'The run was told to end by SIGTERM.', next: 'Go on with `ralph resume`.' },
  hangup: { exitCode: 129, text: 'The terminal of the run was closed.', next: 'Go on with `ralph resume`.' },
};
