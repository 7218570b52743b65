/**
 * Front door of `loop/decide`: the pure step of a run. `step.ts` is what every part changes the state with; `decide.ts` hands each input to its handler:
 * `step <- publish, accept-signals, dispatch … <- finish-turn, block-event, proceed … <- on-* <- decide`.
 */
export { type Decision, decide, INITIAL_STATE } from './decide.ts';
export { createJournalFold, type FoldedRun, type JournalFold, toTopology } from './fold-journal.ts';
