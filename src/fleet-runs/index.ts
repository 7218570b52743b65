/** Front door of `fleet-runs`: runs whose turns, journal, tree and words go over a fleet. What is sent is checked where it arrives, and a run goes on where its journal is kept. */
export { createAwayWatch } from './away-watch.ts';
export { bringRun } from './bring-run.ts';
export type { SentHome } from './bring-turn.ts';
export { copyFleet, copyRun } from './copy-run.ts';
export { catchUp } from './fetch-run.ts';
export { type AwayRun, findAllElsewhere, findAway, findElsewhere, type JournalEnd } from './find-elsewhere.ts';
export { DEMO_LOST_AFTER_S, type FleetDemo, type FleetDemoEnd, prepareFleetDemo } from './fleet-demo.ts';
export type { FleetNews } from './fleet-demo-story.ts';
export { type FleetServer, startFleetServer } from './fleet-server.ts';
export { createManifestReader, listApart, type Manifest, packFiles } from './folder-manifest.ts';
export { hearFleet, type LeftWords, leaveKept, NOTHING_LEFT } from './hear-fleet.ts';
export { keepEvidence, toEvidenceFolder } from './kept-evidence.ts';
export {
  type AwayPrograms,
  type KeptRun,
  keepJournal,
  keepRest,
  keepSettings,
  openKeptRun,
  readKeptState,
  STANDS_IN,
  type TakenRun,
  takeRun,
  toEndedLease,
  toLeft,
} from './kept-run.ts';
export {
  type OfferedTurns,
  offerToFleet,
  type SentPlace,
  sendDecision,
  sendFiles,
  withoutSnapshots,
  withSnapshots,
} from './offer-to-fleet.ts';
export { createPlaceTree, type PlaceTree } from './place-tree.ts';
export { type OfferPreview, type PreviewedOffer, previewOffers } from './preview-offers.ts';
export { readEnds, readWhole } from './read-plain.ts';
export { requireSendable } from './send-tree.ts';
export { fetchChanges, isStateFolder, withScripts, withSecrets, writeScratchpad } from './sent-work.ts';
export { standIn } from './stand-in.ts';
export { answerFleetRun, type FleetRunOrder, type RunSteering, stopFleetRun, tellFleetRun } from './steer-fleet.ts';
export { closeWorkerHome, openWorkerHome, STOOD_IN, sweepWorkerHomes, toNextName, toWorkerMark } from './worker-home.ts';
