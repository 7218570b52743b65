/** Front door of `gates`: runs the commands that decide whether a topic may pass, and keeps what they showed. */
export { describeChanges } from './check-protected.ts';
export { createGateRunner } from './create-gate-runner.ts';
export type { EvidenceRecord } from './evidence-store.ts';
export type { GateRunnerSettings, TryStartTests } from './gate-bench.ts';
export { type StartScopes, toScope, toStartScopes } from './gate-memory.ts';
export { toIdleGlobWarnings } from './idle-globs.ts';
export { createPathMatcher } from './path-matcher.ts';
export { type PinnedFile, type Pins, pinFiles } from './pin-files.ts';
export { toQualityOfGates } from './quality-of-gates.ts';
