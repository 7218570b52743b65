/** Front door of `loop/shell`: append, decide, perform. */
export { createJournalFold, type FoldedRun, type JournalFold } from './fold-journal.ts';
export type { AgentFacts, LoopPorts, LoopSettings, Surroundings, Wardrobe } from './loop-ports.ts';
export { type ResumeChanges, recoverRun } from './recover-run.ts';
export { type LoopStart, type RunningLoop, type RunOutcome, runLoop } from './run-loop.ts';
