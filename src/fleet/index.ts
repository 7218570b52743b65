/** Front door of `fleet`: a connection to workers on other machines. `fleet-names <- work-record`, `nats-place <- nats-server <- keep-reading <- nats-fleet`; `messages <- offer-turns, take-work`. */

export { PROTOCOL } from './messages.ts';
export { connectFleet } from './nats-fleet.ts';
export { toShownUrl } from './nats-place.ts';
export { offerTurns } from './offer-turns.ts';
export { type Job, takeWork } from './take-work.ts';
