/**
 * Front door of `fleet`: a connection to workers, through a server or a folder. Files import in one direction:
 *
 * - through a server: `nats-place, connect-or-end <- nats-server <- keep-reading <- nats-queue, nats-runs <- nats-fleet`, and `read-blob <- nats-fleet`
 * - in a folder: `folder-files <- folder-state, folder-post <- folder-queue, folder-runs, folder-sweep <- folder-fleet`
 * - one of both: `nats-fleet, folder-fleet <- connect-fleet`; `nats-server, folder-fleet <- check-server`
 * - what both keep: `fleet-names <- work-record, kept-states`
 * - a run: `messages <- run-records <- keep-run`; `messages <- fetch-report <- open-order <- offer-turns, offer-programs`; `offer-programs <- program-kinds`; `hook-messages <- program-kinds`; `run-records <- round-messages <- offer-rounds`, `open-order <- offer-rounds`
 * - a worker: `messages <- take-work`; whether a fleet answers: `silence-watch <- keep-run, watch-fleet`; who waits for an order: `waiters <- nats-queue, folder-queue`
 */

export { checkServer, type ServerFinding } from './check-server.ts';
export { connectFleet } from './connect-fleet.ts';
export { limitFetching } from './fetch-report.ts';
export { toHookOrderName } from './fleet-names.ts';
export { type HookTask, type HookWords, parseHookTask } from './hook-messages.ts';
export {
  followKept,
  keepRun,
  type LeaseEnd,
  type LeaseWish,
  LONG_ASK_MS,
  type RunKeeper,
  readKept,
  takeLease,
  toBeatMs,
} from './keep-run.ts';
export {
  demandBlob,
  findContent,
  fromBody,
  fromContent,
  type GateTask,
  type GateWords,
  PROTOCOL,
  parseContent,
  parseGateTask,
  parseLive,
  parseWorkerWords,
  ROUND_PROTOCOL,
  type SentContent,
  TURN_PROTOCOL,
  toBody,
  toContent,
} from './messages.ts';
export { toShownUrl } from './nats-place.ts';
export { offerPrograms } from './offer-programs.ts';
export { type OfferedRound, type OfferedRoundEnd, offerRounds, type RoundOffer, type RoundOfferSettings } from './offer-rounds.ts';
export { type OfferSettings, offerTurns } from './offer-turns.ts';
export { listHeard, listTakers } from './open-order.ts';
export { toGateProgram, toHookProgram } from './program-kinds.ts';
export { createRoundControls } from './round-controls.ts';
export {
  type PanelRoundTask,
  parseRoundTask,
  type RoundControl,
  type RoundEnd,
  type SentConversation,
  type SentHandIn,
  type SentWorkOf,
} from './round-messages.ts';
export {
  CHANGES_LIMIT,
  isFileName,
  type KeptPiece,
  type KeptRecord,
  MAX_CHANGED_BYTES,
  MAX_CHANGES,
  MAX_FILES,
  parseFiles,
  parseTree,
  readChanges,
  type SentBundle,
  type SentChange,
  type SentFile,
  type SentStep,
  type SentTree,
  sendChanges,
} from './run-records.ts';
export type { AwayHearer } from './silence-watch.ts';
export { type Job, readOrderedAgent, takeWork } from './take-work.ts';
export {
  isAgentsDoing,
  isTooLarge,
  MAX_FILE_BYTES,
  MAX_OUTPUT_BYTES,
  MAX_REPORT_BYTES,
  toLeftOutText,
  toTooLarge,
  toUnseen,
  toWholeMessage,
} from './too-large.ts';
export { watchFleet } from './watch-fleet.ts';
