/** Door to `topology/routing`: a declared team, compiled: who takes a topic, who may publish it. */

export type { Coordination, Topology } from './compile-topology.ts';
export { compileTopology } from './compile-topology.ts';
export {
  emittableBy,
  hasTurns,
  isCompletionTopic,
  isTerminalTopic,
  listedTargetOf,
  listGuards,
  mayEnd,
  mayHandOn,
  mayPublish,
  mayStandFor,
  publishableBy,
  receiversOf,
  safetyNetOf,
  takersOf,
} from './queries.ts';
