import { PROBE_ATTEMPTS, type ProbeAttempt } from '../mock-model/index.ts';

/** What was seen of one probe, on the disk and in what the model was told. */
export interface ProbeFacts {
  /** Files that are there and were not, or have changed; relative to the workspace. */
  readonly changed: readonly string[];
  /** How many of the steps of the model were played. */
  readonly steps: number;
  /** How many there are. */
  readonly allSteps: number;
  /** Whether the output of the allowed command reached the model. */
  readonly ranTests: boolean;
  /** Whether the event arrived. */
  readonly published: boolean;
  /** Why the turn failed; `null` where it ended well. */
  readonly failure: string | null;
}

/** How one layer held. */
export interface ProbeResult {
  /** `unclear`: not everything could be tried, and what was tried left nothing behind. */
  readonly outcome: 'held' | 'broken' | 'unclear';
  /** What came through. */
  readonly through: readonly ProbeAttempt['id'][];
  /** Changes that belong to none of the attempts. */
  readonly others: readonly string[];
  readonly ranTests: boolean;
  readonly published: boolean;
  /** What a person should know, in a few words; empty where there is nothing. */
  readonly note: string;
}

/** What a probe of one version of a CLI found out. */
export interface ProbeVerdict {
  /** Raised when more is tried: verdicts of fewer attempts do not count. */
  readonly v: 2;
  readonly cli: string;
  /** In the CLI's own words. */
  readonly version: string;
  readonly profile: 'critic';
  /** ISO 8601. */
  readonly at: string;
  /** Of Ralph: other versions may use other flags. */
  readonly ralph: string;
  /** The flags of the CLI alone. */
  readonly flags: ProbeResult;
  /** Flags and the sandbox of the operating system; `null` where there was none. */
  readonly os: ProbeResult | null;
}

/** Judges what was seen. Pure. */
export function judgeProbe({ changed, steps, allSteps, ranTests, published, failure }: ProbeFacts): ProbeResult {
  const through = PROBE_ATTEMPTS.filter(({ file }) => changed.includes(file)).map(({ id }) => id);
  const others = changed.filter((path) => !PROBE_ATTEMPTS.some(({ file }) => file === path));
  const isWhole = steps >= allSteps && failure === null;
  const isBroken = through.length > 0 || others.length > 0;
  const note = failure ?? (steps < allSteps ? `${steps} of ${allSteps} steps were tried` : '');
  return { outcome: isBroken ? 'broken' : isWhole ? 'held' : 'unclear', through, others, ranTests, published, note };
}
