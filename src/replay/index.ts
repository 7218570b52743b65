/**
 * `ralph-hats/views`: what happened in a run, made again from the inputs of its journal by the same decisions that the run itself took. Pure: it runs in a browser.
 */
export type { Input } from '../core/run/inputs.ts';
export type { RunView, TurnView } from '../views/fold/run-view.ts';
export { toRunFrame } from '../views/frame/run-frame.ts';
export { toTimeline } from '../views/frame/timeline.ts';
export { toEventPage, toTurnDetail, toTurnPage } from '../views/frame/turn-rows.ts';
export type { FrameFacts, RunHistory } from '../views/frame/watched-run.ts';
export type { Page, PageOrder } from '../wire/page.ts';
export type { RunFrame } from '../wire/run-frame.ts';
export type { TimelineSlot } from '../wire/timeline-slot.ts';
export type { TurnDetail, TurnRow } from '../wire/turn-row.ts';
export { createReplay, type Replay, type ReplayEntry } from './create-replay.ts';
