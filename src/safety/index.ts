/**
 * Front door of `safety`: what a run keeps from its agents. Which values are secrets and who gets which variables (`known-secrets`), Ralph's own folders in a workspace
 * (`state-dirs`), the namespaces of programs (`run-isolation`), and what a safe run needs (`state-dirs, known-secrets <- safe-runs`). Knows of no run.
 */

export {
  findKnownSecrets,
  listKeyNames,
  toDefined,
  withoutKeys,
  withoutModelKeys,
  withoutSecrets,
} from './known-secrets.ts';
export {
  coverWorktrees,
  findRunIsolation,
  isolatesAll,
  protectState,
  type RunIsolation,
  toStateDirs,
  WITHOUT_ISOLATION,
} from './run-isolation.ts';
export {
  describeReach,
  findSafetyObstacle,
  packForSafety,
  requireHeldGates,
  requireSafety,
  toWithheldWarnings,
  withOwnLogins,
} from './safe-runs.ts';
