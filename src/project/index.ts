/**
 * Front door of `project`: what is found in a person's project, and what is written into it: how its checks are run (`find-checks`), what `ralph init` writes
 * (`init-config`, `init-backend <- init-project`), the samples of the demo (`demo-files`).
 */
export { createDemoFolder, type DemoFolder, type DemoName } from './demo-files.ts';
export { findCheck, findQualityCommands, type SoughtGate, toMissingWarnings, withFoundChecks, withFoundGate } from './find-checks.ts';
export { listNativeModels } from './init-backend.ts';
export { findInitPlace } from './init-config.ts';
export { checkInit, findDefaultGate, hasTask, type Initialised, type InitOrder, initProject, isTemplate } from './init-project.ts';
