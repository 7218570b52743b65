/**
 * Front door of `loop/decide`: the pure step of a run. `step.ts` is what every part changes the state with; `decide.ts` hands each input to its handler:
 * `step <- publish, batch … <- complete, block-event … <- proceed <- on-* <- decide`.
 */
export {
  createJournalFold,
  type Decision,
  decide,
  type FoldedRun,
  INITIAL_STATE,
  type JournalFold,
  toTopology,
} from './decide.ts';
