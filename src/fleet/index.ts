/** Front door of `fleet`: a connection to workers on other machines. `fleet-names <- work-record <- nats-server <- nats-fleet`. */
export { connectFleet } from './nats-fleet.ts';
