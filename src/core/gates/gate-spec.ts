/** What a gate can be told to run without a command: what the project's own files say about it. */
export const GATE_CHECKS = ['tests', 'lint', 'build', 'typecheck'] as const;

export type GateCheck = (typeof GATE_CHECKS)[number];

/** What a gate that was red before the first turn must be at the end. */
export const GATE_BASELINES = ['green', 'no_worse'] as const;

export type GateBaseline = (typeof GATE_BASELINES)[number];

/** A quality gate. What is absent has its default, so that journals of earlier versions mean what they meant. */
export interface GateSpec {
  /** Topic patterns it guards; `task.complete` stands for every way to complete. */
  readonly on: readonly string[];
  /** The user's own command line; the word itself for a `check` whose command is not known yet. */
  readonly run: string;
  readonly timeoutMs: number;
  /** What people and agents call it; absent: its command. */
  readonly name?: string;
  /** The command is looked for in the project's files when it is first run. */
  readonly check?: GateCheck;
  /** Globs of paths; where none of them changed, it need not run. Absent: every change counts. */
  readonly onlyIf?: readonly string[];
  /** False: a failure is told and holds nothing back. Absent: true. */
  readonly required?: boolean;
  /** Only events of these hats are guarded. Absent: everybody's. */
  readonly hats?: readonly string[];
  /** How often a failure is tried again. Absent: 0. */
  readonly retries?: number;
  /** Runs while no other gate does. Absent: false. */
  readonly serial?: boolean;
  /** Whether a pass counts for as long as no file changes. Absent: true. */
  readonly cache?: boolean;
  /** `off`: its command shares the processes of the machine. Absent: as the run. */
  readonly isolation?: 'off';
  /** In a run on a fleet: what a worker must have to run it. Absent: it runs where the run is. */
  readonly runsOn?: readonly string[];
  /** Ralph found it himself, in this file of the project; absent: a person named it. */
  readonly from?: string;
  /** It is run once before the first turn: `green`, it must be green at the end; `no_worse`, one that was red then may stay as red. Absent: it is not. */
  readonly baseline?: GateBaseline;
  /** With a `baseline`: it may run fewer tests at the end than before the first turn. Absent: it may not. */
  readonly mayLoseTests?: true;
  /** It counts although it would fail with the tests as they were when the run began. Absent: it does not. */
  readonly mayChangeTests?: true;
  /** Globs of files that must be as they were when the run began. Where it is there, no command is run. */
  readonly protect?: readonly string[];
}

export function toGateName(gate: { readonly name?: string; readonly run: string }): string {
  return gate.name ?? gate.run;
}

export function isRequiredGate(gate: Pick<GateSpec, 'required'>): boolean {
  return gate.required !== false;
}

/** True for a gate that may be red at the end, where it was no better before the first turn. */
export function mayStayRed(gate: Pick<GateSpec, 'baseline'>): boolean {
  return gate.baseline === 'no_worse';
}
