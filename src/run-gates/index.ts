/**
 * Front door of `run-gates`: the gates of a run with what they need of it. What they compare with (`gate-reference`), the tests as they were at its start (`start-tests`),
 * how they are run outside of a run (`run-gates`), and what they showed last (`gate-report`).
 */

export { type GateReference, listReferenceFiles, openGateReference } from './gate-reference.ts';
export { type GateEvidenceRow, type GateReport, type GateRow, listGates } from './gate-report.ts';
export { type GateRun, type GateRunOrder, runCheck, runGates, toGateGuard } from './run-gates.ts';
export { createStartTests } from './start-tests.ts';
