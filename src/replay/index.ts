/**
 * `ralph-hats/views`: what happened in a run, made again from the inputs of its journal by the same decisions that the run itself took. Pure: it runs in a browser.
 */
export type { Input } from '../core/run/inputs.ts';
export type { RunView, TurnView } from '../views/fold/index.ts';
export {
  type FrameFacts,
  type Page,
  type PageOrder,
  type RunFrame,
  type RunHistory,
  type TimelineSlot,
  type TurnDetail,
  type TurnRow,
  toEventPage,
  toRunFrame,
  toTimeline,
  toTurnDetail,
  toTurnPage,
} from '../views/frame/index.ts';
export { createReplay, type Replay, type ReplayEntry } from './create-replay.ts';
