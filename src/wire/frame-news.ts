import type { RunFrame } from './run-frame.ts';

/** What a stream of a run brings: the run now, and which turns and events came or changed since the frame before. */
export interface FrameNews {
  readonly frame: RunFrame;
  /** Places of turns. */
  readonly turns: readonly number[];
  /** Place of the first new event. */
  readonly firstEvent: number;
}
