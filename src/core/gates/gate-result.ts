/** What one run of a gate showed: evidence, taken by the loop itself. */
export interface GateResult {
  /** Index into `RunSpec.gates`. */
  readonly gate: number;
  /** What people call it, where it is not its command. */
  readonly name?: string;
  readonly command: string;
  readonly passed: boolean;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** What matters of its output, the failing parts and the end, at most 4 KB. */
  readonly outputTail: string;
  /** Absent where nothing was run, and in journals of earlier versions. */
  readonly evidence?: GateEvidence;
  /** How many tests failed; absent where it passed, or its output does not tell. */
  readonly failedTests?: number;
  /** How many tests ran, passed or failed, those that were skipped left out; absent where its output does not tell. */
  readonly ranTests?: number;
  /** Its output was longer than what is kept, so that what it tells of its tests may be a part. */
  readonly isOutputCut?: true;
  /** It was not run, because no path of its `only_if` changed. */
  readonly skipped?: boolean;
  /** At a completion: how it ended with the tests as they were when the run began. Absent where the run changed none of them, and where that is not known. */
  readonly startTests?: StartTestsResult;
}

/** A gate that passed, tried once more with the tests of the start in a copy of the folder. */
export interface StartTestsResult {
  /** `failed`: with the tests as they are now it passes in the same copy. `unknown`: it failed with those, too, or could not be tried. */
  readonly outcome: 'passed' | 'failed' | 'unknown';
  /** The first of the tests that the run changed, removed or renamed. */
  readonly changed: readonly string[];
  readonly total: number;
  /** What it said where it did not pass, or why nobody knows. */
  readonly outputTail: string;
  /** How many tests ran where it passed; absent where its output does not tell. */
  readonly ranTests?: number;
}

/** What proves the verdict of a gate. Its record is `evidence/<number>.json` in the run's folder. */
export interface GateEvidence {
  /** 1, 2, 3, … in the run; `null` where it could not be written. */
  readonly number: number | null;
  /** Hash of the files before it ran; `null` where that could not be told. */
  readonly treeBefore: string | null;
  /** The same after it: the files that the verdict is about. */
  readonly tree: string | null;
  /** False if the files that it is about changed before all gates of the request were done. */
  readonly isFresh: boolean;
  /** The verdict of an earlier run on the same files. */
  readonly isCached: boolean;
  /** How often it was run for this verdict. */
  readonly attempts: number;
  /** SHA-256 of the output that was kept. */
  readonly outputHash: string;
  /** The whole output, as an agent in the workspace names the file; `null` where it was not kept. */
  readonly log: string | null;
  /** True if `outputTail` is not the whole output. */
  readonly isCut: boolean;
  /** The worker of the fleet that ran it; absent: it ran where the run is. */
  readonly worker?: string;
}

export function toResultName({ name, command }: Pick<GateResult, 'name' | 'command'>): string {
  return name ?? command;
}
