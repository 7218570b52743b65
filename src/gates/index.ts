/**
 * Front door of `gates`: runs the commands that decide whether a topic may pass, and keeps what they showed.
 *
 * Files import in one direction: `gate-contract`, `evidence-store`, `path-matcher`, `to-excerpt` <- `run-attempts` (the command), `gate-verdict` (what it
 * showed), `gate-scope` (the files it is about), `gate-run-state` (what gates share) <- `create-gate-runner`. `pin-files` and `describe-changes` are for
 * protected files.
 */
export { createGateRunner } from './create-gate-runner.ts';
export { describeChanges } from './describe-changes.ts';
export { type EvidenceRecord, MAX_LOG_BYTES } from './evidence-store.ts';
export type { GateRunnerSettings, StartScopes, TryStartTests } from './gate-contract.ts';
export { toScope, toStartScopes } from './gate-scope.ts';
export { toIdleGlobWarnings } from './idle-globs.ts';
export { createPathMatcher } from './path-matcher.ts';
export { type PinnedFile, type Pins, pinFiles } from './pin-files.ts';
export { toQualityOfGates } from './quality-of-gates.ts';
