/**
 * Front door of `topology`: a declared team, checked and looked up. Pure. Folders import in one direction only:
 *
 *   routing <- graph             who takes a topic and who may publish it; the flow of events as a graph, with its paths and drawings
 *   routing <- analysis <- rules what rules have in common; the rules, one file each, all asked by `validateTopology`
 */
export { createFlowGraph, createPlainNode } from './graph/create-flow-graph.ts';
export { drawDot } from './graph/draw-dot.ts';
export { drawList } from './graph/draw-list.ts';
export { drawMermaid } from './graph/draw-mermaid.ts';
export { type FoundPath, findPath, markPath, type PathEnd, toPathEnd } from './graph/find-path.ts';
export {
  type FlowArrow,
  type FlowEdge,
  type FlowEdgeKind,
  type FlowGraph,
  type FlowMark,
  type FlowNode,
  type FlowNodeKind,
  toArrowLines,
  toEdgeText,
  toFlowArrows,
  toHatNodeId,
  toMarkText,
  toNodeTitle,
  toShortText,
} from './graph/flow-graph.ts';
export {
  type TopicTrace,
  type TraceHop,
  type TraceMatch,
  type TracePublisher,
  type TraceRequest,
  traceTopic,
} from './graph/trace-topic.ts';
export { compileTopology } from './routing/compile-topology.ts';
export {
  hasTurns,
  isCompletionTopic,
  isTerminalTopic,
  listedTargetOf,
  mayEnd,
  mayHandOn,
  mayPublish,
  publishableBy,
  receiversOf,
  safetyNetOf,
  takersOf,
} from './routing/queries.ts';
export type { Coordination, Topology } from './routing/topology.ts';
export { validateTopology } from './rules/validate-topology.ts';
