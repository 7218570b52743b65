/** Door to `core/project`: what is found in a person's project without reading a disk: its test command, package scripts, scratch folders. */
export { detectQualityCommand } from './detect-quality-command.ts';
export { type ProjectFolder, type QualityCommand, type QualityKind, readPackageScripts } from './package-scripts.ts';
export { USUAL_SCRATCH } from './scratch-folders.ts';
