import type { StartTestsResult } from '../core/gates/gate-result.ts';
import type { GateCheck } from '../core/gates/gate-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import type { GateOrder, RunAway } from '../ports/gate-runner.ts';
import type { Backpressure, Isolation, Program } from '../ports/program.ts';
import type { TreeReader, TreeState } from '../ports/tree-reader.ts';

export interface CommandSettings {
  readonly cwd: string;
  readonly env: Environment;
  /** Beginning of the tokens by which gates' processes can be found again, without white space. */
  readonly marker?: string;
  /** The namespaces that the command of a gate gets, unless the gate refuses them; absent: none. */
  readonly isolation?: Isolation;
  /** Puts the sandbox of the operating system around one command; absent: none. Does not reject: where that cannot be done, the program that it gives says so and fails. */
  readonly hold?: () => Promise<CommandSandbox>;
  /** Takes secrets out of what a gate shows, before it is shown or kept; absent: nothing is taken out. */
  readonly redact?: (text: string) => string;
  /** Whether the reader of what a gate prints is behind; absent: never. */
  readonly backpressure?: Backpressure;
}

export interface CommandSandbox {
  readonly confine: (program: Program) => Program;
  /** Takes back what was made for it. */
  readonly close: () => void;
}

export interface GateRunnerSettings extends CommandSettings {
  /** How many gates run at once; default 2. */
  readonly atOnce?: number;
  /** Looks at the files of the workspace; absent: nothing is known of them, so every gate runs whenever it is asked. */
  readonly tree?: TreeReader;
  /** What gates with `only_if` were about when the run began; one that is not in it runs. */
  readonly startScopes?: StartScopes;
  /** Absolute path of the folder for evidence; absent: none is kept. */
  readonly evidenceDir?: string;
  /** The command of a check, from the files of the workspace; `null` where they tell none. */
  readonly findCheck?: (check: GateCheck) => string | null;
  /** What is wrong with the protected files now, in words for the agent that changed them; empty for nothing. */
  readonly checkProtected?: () => Promise<string>;
  /** Tries gates with the tests as they were when the run began; absent: that is not known. */
  readonly tryStartTests?: TryStartTests;
  /** Runs gates that need a worker; absent: they run here. */
  readonly runAway?: RunAway;
}

/**
 * Tries gates on these files, but with the tests that were changed as they were at the start. By place in the list of gates; empty where no test was changed. Never
 * rejects.
 */
export type TryStartTests = (
  gates: readonly number[],
  now: TreeState,
  watch: Pick<GateRequest, 'signal' | 'observe'>,
) => Promise<ReadonlyMap<number, StartTestsResult>>;

/** What gates with `only_if` are about when the run begins and nothing needs to be proved yet: hashes of files, by `toScopeKey`. */
export type StartScopes = Readonly<Record<string, string>>;

/** The last look of a request. */
export interface StateLook {
  /** How many commands had begun or ended when it was taken. */
  atStep: number;
  state: Promise<TreeState | null> | null;
}

export interface GateRequest {
  readonly signal: AbortSignal;
  readonly observe: (gate: number, line: string) => void;
  readonly look: StateLook;
}

export interface GateCase extends GateRequest {
  readonly order: GateOrder;
}
