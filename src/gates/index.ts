/** Front door of `gates`: runs the commands that decide whether a topic may pass. */
export { createGateRunner, type GateRunnerSettings } from './create-gate-runner.ts';
