import type { Input, RunState } from '../../core/index.ts';
import type { Topology } from '../../topology/index.ts';

/** What a performer may know of the loop and tell it. */
export interface LoopView {
  readonly post: (input: Input) => void;
  readonly topology: () => Topology;
  readonly state: () => RunState;
}
