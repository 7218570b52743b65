import type { FlowFinding } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import { findEndlessCycles } from './find-endless-cycles.ts';
import { findFailureHats } from './find-failure-hats.ts';
import { createHatGraph, type HatGraph } from './hat-graph.ts';
import { measureShortestRun } from './measure-shortest-run.ts';

/** Questions about the ways between hats; they share one graph. */
const QUESTIONS: readonly ((graph: HatGraph) => readonly FlowFinding[])[] = [findEndlessCycles, findFailureHats, measureShortestRun];

/** Everything that is found by following events from hat to hat. */
export const checkWays: FlowRule = (topology) => {
  if (topology.coordination === 'solo') return [];
  const graph = createHatGraph(topology);
  return graph === null ? [] : QUESTIONS.flatMap((ask) => ask(graph));
};
