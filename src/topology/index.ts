/** Front door of `topology`: a declared team, checked and looked up. Pure. */
export { compileTopology } from './compile-topology.ts';
export { createFlowGraph } from './create-flow-graph.ts';
export { drawDot } from './drawings/draw-dot.ts';
export { drawList } from './drawings/draw-list.ts';
export { drawMermaid } from './drawings/draw-mermaid.ts';
export { toMarkText, toNodeTitle, toShortText } from './drawings/node-words.ts';
export { type FoundPath, findPath, markPath, type PathEnd, toPathEnd } from './find-path.ts';
export { type FlowArrow, toArrowLines, toEdgeText, toFlowArrows } from './flow-arrows.ts';
export {
  type FlowEdge,
  type FlowEdgeKind,
  type FlowGraph,
  type FlowMark,
  type FlowNode,
  type FlowNodeKind,
  toHatNodeId,
} from './flow-graph.ts';
export { createPlainNode } from './flow-nodes.ts';
export type { FlowFacts, FlowRule } from './flow-rule.ts';
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
export { type TopicTrace, type TraceHop, type TraceMatch, type TracePublisher, type TraceRequest, traceTopic } from './trace-topic.ts';
export { validateTopology } from './validate-topology.ts';
