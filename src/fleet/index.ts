/** Front door of `fleet`: a connection to workers on other machines. `fleet-names <- work-record <- nats-server <- nats-fleet`. */

export { PROTOCOL } from './messages.ts';
export { connectFleet } from './nats-fleet.ts';
export { toShownUrl } from './nats-server.ts';
export { offerTurns } from './offer-turns.ts';
export { type Job, takeWork } from './take-work.ts';
