/** What a rule decides, in the order in which rules are asked: whatever is denied is denied, whatever else allows it. */
export const PERMISSION_DECISIONS = ['deny', 'ask', 'allow'] as const;

export type PermissionDecision = (typeof PERMISSION_DECISIONS)[number];

export interface PermissionRule {
  readonly decision: PermissionDecision;
  /** As it is written: `bash(npm test*)`; see `createCallMatcher`. */
  readonly rule: string;
  /** Where it is written: `ralph.yml:12`. */
  readonly place: string;
}

/** What becomes of a call that a person is to be asked about where nobody answers. */
export const ON_ASK = ['deny', 'allow', 'wait'] as const;

export interface PermissionSpec {
  /** Those that deny first, then those that ask, then those that allow; of one kind those of all hats first. */
  readonly rules: readonly PermissionRule[];
  /** `wait`: somebody is waited for although nobody is there, until the deadline; then it is denied. */
  readonly onAsk: (typeof ON_ASK)[number];
}

export const NO_PERMISSIONS: PermissionSpec = { rules: [], onAsk: 'deny' };

/** What was decided about a call, and by whom: a line of the run's record. */
export interface PermissionEntry {
  readonly v: 1;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** `7.1` */
  readonly turn: string;
  readonly hat: string;
  /** The call, as the model names it. */
  readonly call: string;
  readonly tool: string;
  /** What it is about: shortened, without secrets. */
  readonly argument: string;
  readonly decision: PermissionDecision;
  /**
   * `grant`: a person's answer of before; `deadline`, `policy`, `nobody`: no person answered, and `on_ask` counted; `withdrawn`: the turn ended first.
   */
  readonly by: 'rule' | 'hook' | 'grant' | 'person' | 'deadline' | 'policy' | 'nobody' | 'withdrawn';
  /** The rule, the words of the hook, or the answer of the person. */
  readonly why: string;
}

/** For how long a person allowed calls with the same argument: for this run, or for all runs of the project. */
export type GrantScope = 'run' | 'project';

export interface PermissionGrant extends Pick<PermissionEntry, 'v' | 'at' | 'hat' | 'tool' | 'argument'> {
  /** SHA-256 of hat, tool and argument, in hexadecimal: what is compared. */
  readonly key: string;
}

/**
 * The record of a run's permissions.
 *
 * Contract: no method throws. What was granted is on disk when `grant` returns, where the disk takes it, and counts at once. Nobody but the orchestrator
 * writes there: what others write while the run goes on is not read.
 */
export interface PermissionStore {
  readonly isGranted: (key: string) => boolean;
  readonly grant: (scope: GrantScope, grant: PermissionGrant) => void;
  readonly note: (entry: PermissionEntry) => void;
}

export const NO_STORE: PermissionStore = { isGranted: () => false, grant: () => {}, note: () => {} };
