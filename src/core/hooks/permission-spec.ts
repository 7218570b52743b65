/** What a rule decides, in the order in which rules are asked: whatever is denied is denied, whatever else allows it. */
export const PERMISSION_DECISIONS = ['deny', 'ask', 'allow'] as const;

export type PermissionDecision = (typeof PERMISSION_DECISIONS)[number];

/** A rule about calls of tools. */
export interface PermissionRule {
  readonly decision: PermissionDecision;
  /** As it is written: `bash(npm test*)`; see `createCallMatcher`. */
  readonly rule: string;
  /** Where it is written: `ralph.yml:12`. */
  readonly place: string;
}

/** What becomes of a call that a person is to be asked about where nobody answers. */
export const ON_ASK = ['deny', 'allow', 'wait'] as const;

/** The rules of one hat. */
export interface PermissionSpec {
  /** Those that deny first, then those that ask, then those that allow; of one kind those of all hats first. */
  readonly rules: readonly PermissionRule[];
  /** `wait`: somebody is waited for although nobody is there, until the deadline; then it is denied. */
  readonly onAsk: (typeof ON_ASK)[number];
}

/** Where nothing is said. */
export const NO_PERMISSIONS: PermissionSpec = { rules: [], onAsk: 'deny' };
