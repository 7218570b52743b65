/** Front door of `fleet`: a connection to workers on other machines. `fleet-names <- work-record`, `nats-place <- nats-server <- keep-reading <- nats-fleet`; `messages <- offer-turns, take-work`; `run-records <- keep-run`. */

export { followKept, keepRun, type LeaseWish, LONG_ASK_MS, type RunKeeper, readKept, takeLease } from './keep-run.ts';
export { fromBody, PROTOCOL, parseLive, parseWorkerWords } from './messages.ts';
export { connectFleet } from './nats-fleet.ts';
export { toShownUrl } from './nats-place.ts';
export { offerTurns } from './offer-turns.ts';
export {
  isFileName,
  type KeptPiece,
  type KeptRecord,
  MAX_FILES,
  parseFiles,
  parseTree,
  type SentBundle,
  type SentFile,
  type SentTree,
} from './run-records.ts';
export { type Job, takeWork } from './take-work.ts';
