/**
 * The flow of events as a graph, for drawing and for programs (`ralph graph --format json`). Plain JSON; the order of nodes and edges
 * follows the file, so the same team always gives the same graph.
 */
export interface FlowGraph {
  readonly coordination: 'solo' | 'ralph' | 'hats';
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** True where edges were left out because there are too many of them. */
  readonly isCut: boolean;
}

/**
 * What a node stands for.
 * - `start`: what begins the run. `loop`: the loop itself, which publishes `task.resume` and the errors of turns.
 * - `hat`, `ralph`: who works. `end`: the run is completed. `handoff`: terminal events, which need no taker.
 * - `nobody`: where events go that no hat takes although one should. `external`: people and other programs, in a past run.
 */
export type FlowNodeKind = 'start' | 'loop' | 'hat' | 'ralph' | 'end' | 'handoff' | 'nobody' | 'external';

/** What is special about a node. */
export type FlowMark = 'entry' | 'recovery' | 'may-end' | 'unreachable' | 'on-path';

export interface FlowNode {
  /** Unique: `hat:` and the id of the hat, else the kind. */
  readonly id: string;
  readonly kind: FlowNodeKind;
  /** The id of the hat, or a word for the node. */
  readonly label: string;
  /** The name of the hat where it says more than its id, else what the node means; may be empty. */
  readonly detail: string;
  readonly marks: readonly FlowMark[];
  /** Codes of the errors and warnings that name the hat. */
  readonly findings: readonly string[];
  /** Turns in a past run; only with `--live`. */
  readonly turns?: number;
}

/**
 * Why an event goes from one node to the other.
 * - `event`: published by a hat and taken by its trigger. `target`: the entry of `publishes` names the hat.
 * - `transition`: the hat may hand on by `HAT_TRANSITION`, without a topic of its own.
 * - `ralph`: only Ralph can set it going. `unclaimed`: nobody takes it, so the coordinating Ralph gets it.
 * - `start`: begins the run. `system`: published by the loop. `blocked`: what a failing gate makes of an event.
 * - `complete`: ends the run. `handoff`: a terminal event. `orphan`: nobody takes it, although somebody should.
 * - `seen`: not declared, but it happened in a past run.
 */
export type FlowEdgeKind =
  | 'event'
  | 'target'
  | 'transition'
  | 'ralph'
  | 'unclaimed'
  | 'start'
  | 'system'
  | 'blocked'
  | 'complete'
  | 'handoff'
  | 'orphan'
  | 'seen';

export interface FlowEdge {
  /** Unique: `e1`, `e2`, …. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The topic, or the pattern under which it is published or taken. */
  readonly topic: string;
  readonly kind: FlowEdgeKind;
  /** The trigger by which it is taken; `null` where none is needed. */
  readonly trigger: string | null;
  /** True if it is published when the hat emits nothing. */
  readonly isDefault: boolean;
  /** True if a gate is run before it. */
  readonly isGated: boolean;
  /** True if it lies on the path that was asked for. */
  readonly isOnPath: boolean;
  /** How often it went this way in a past run; only with `--live`. */
  readonly count?: number;
}

/** The id of a hat's node. */
export function toHatNodeId(hat: string): string {
  return `hat:${hat}`;
}
