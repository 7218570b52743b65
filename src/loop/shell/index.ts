/**
 * Front door of `loop/shell`: append, decide, perform. `loop-ports <- redact-input <- turn-end <- turn, remote-turn, recover-run <- performer <- run-loop`.
 */
export type { AgentPromptFacts, LoopPorts, LoopSettings, LoopView, Surroundings, TurnAgents } from './loop-ports.ts';
export { createPerformer, type Performer } from './performer.ts';
export { type ResumeChanges, recoverRun } from './recover-run.ts';
export { createEventRedactor, redactInput } from './redact-input.ts';
export { type LoopStart, type RunningLoop, type RunOutcome, runLoop } from './run-loop.ts';
export { INTERRUPTED } from './turn-end.ts';
