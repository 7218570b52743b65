/** What a configured gate has shown so far. */
export interface EvidenceRow {
  /** Its place among the configured gates. */
  readonly gate: number;
  readonly name: string;
  /** What it runs; `null`: it looks at protected files. */
  readonly command: string | null;
  readonly isRequired: boolean;
  /** The last one; `not run`: it has not been asked. */
  readonly verdict: 'passed' | 'failed' | 'skipped' | 'did not count' | 'not run';
  /** How it ended: `exit 1, 3 s`; empty where it has not run. */
  readonly how: string;
  /** Why it is red: the lines of what it said that tell it; empty where it is not. */
  readonly why: string;
  /** The iteration that it was about; `null` where it has not run. */
  readonly iteration: number | null;
  readonly at: number | null;
  /** Number of its evidence; `null` where there is none. */
  readonly number: number | null;
  /** Hash of the files that it is about; `null` where nobody knows. */
  readonly tree: string | null;
  /** Turns behind it that changed files: so many times its verdict is out of date. `null` where nobody knows. */
  readonly changedSince: number | null;
  /** Whether it still holds, in words: `of the files as they are`, `was red after turn 4, not run since`; empty where it has not run. */
  readonly age: string;
  /** How often it ran, and how often it was red. */
  readonly runs: number;
  readonly failures: number;
}
