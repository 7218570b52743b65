/** Front door of `topology`: a declared team, checked and looked up. Pure. */
export { compileTopology } from './compile-topology.ts';
export { isCompletionTopic, isTerminalTopic, mayEnd, mayPublish, publishableBy, receiversOf, takersOf } from './queries.ts';
export { createRouteTable, findRoutes, type Route, type RouteTable } from './route-table.ts';
export type { Coordination, Topology } from './topology.ts';
