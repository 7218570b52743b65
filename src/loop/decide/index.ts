/** Front door of `loop/decide`: the pure step of a run. */
export { type Decision, decide } from './decide.ts';
export { INITIAL_STATE } from './initial-state.ts';
