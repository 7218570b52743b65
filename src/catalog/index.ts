/** Front door of `catalog`: the runs of a folder and of its fleet, listed, watched, reported and removed. */
export { cleanRuns } from './forget-run.ts';
export { readReport } from './report-data.ts';
export { createRunCatalog } from './run-catalog.ts';
export { ASK_EVERY_MS, openWatchedRun, watchPlace } from './watched-run.ts';
