/** Front door of `fleet`: a connection to workers on other machines. `fleet-names <- work-record`, `nats-place <- nats-server <- keep-reading <- nats-fleet`; `messages <- offer-turns <- offer-gates`, `messages <- take-work`; `run-records <- keep-run`. */

export { toOrderTitle } from './fleet-names.ts';
export { keepRun, type LeaseWish, LONG_ASK_MS, type RunKeeper, readKept, takeLease } from './keep-run.ts';
export { type GateTask, type GateWords, PROTOCOL, parseGateTask } from './messages.ts';
export { connectFleet } from './nats-fleet.ts';
export { toShownUrl } from './nats-place.ts';
export { offerGates } from './offer-gates.ts';
export { offerTurns } from './offer-turns.ts';
export {
  isFileName,
  type KeptRecord,
  MAX_FILES,
  parseFiles,
  parseTree,
  type SentBundle,
  type SentFile,
  type SentTree,
} from './run-records.ts';
export { type Job, takeWork } from './take-work.ts';
