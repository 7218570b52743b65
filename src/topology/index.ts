/** Front door of `topology`: a declared team, checked and looked up. Pure. */
export { compileTopology } from './compile-topology.ts';
export {
  isCompletionTopic,
  isTerminalTopic,
  isWearer,
  listedTargetOf,
  mayEnd,
  mayHandOn,
  mayPublish,
  publishableBy,
  receiversOf,
  safetyNetOf,
  takersOf,
} from './queries.ts';
export type { Route, RouteTable } from './route-table.ts';
export type { Coordination, Topology } from './topology.ts';
export { type FlowFacts, type FlowRule, validateTopology } from './validate-topology.ts';
