/** Door to `topology/graph`: the flow of events as a graph: its paths, circles and drawings. */
export { createFlowGraph, createPlainNode } from './create-flow-graph.ts';
export { drawDot } from './draw-dot.ts';
export { drawList } from './draw-list.ts';
export { drawMermaid } from './draw-mermaid.ts';
export { findPath, markPath, type PathEnd, toPathEnd } from './find-path.ts';
export {
  type FlowArrow,
  type FlowEdge,
  type FlowGraph,
  type FlowMark,
  type FlowNode,
  toArrowLines,
  toEdgeText,
  toFlowArrows,
  toHatNodeId,
  toMarkText,
  toNodeTitle,
  toShortText,
} from './flow-graph.ts';
export { type TopicTrace, type TraceMatch, type TracePublisher, traceTopic } from './trace-topic.ts';
