/**
 * Front door of `web-server`: a server on loopback that shows runs to a page and takes orders for them. `start-web-server` puts together who may ask (`access`,
 * `check-request`), what is asked (`routes`: `run-routes`, `order-routes`) and what is told unasked (`run-streams`, `list-streams` over `event-stream`).
 */
export type { ServedRuns, WebPage } from './served-runs.ts';
export { startWebServer, type WebServer } from './start-web-server.ts';
