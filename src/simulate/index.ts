/** Front door of `simulate`: a team, played by chance through the real decisions. */
export type { PlayedEvent, PlayedPublication, PlayedRun, PlayedTurn } from './played-run.ts';
export { createSimulation, type Simulation, simulate, traceRun } from './simulate.ts';
export type { SimulateOptions, SimulationSettings } from './simulate-options.ts';
export type {
  DumbHat,
  HatTopic,
  IterationFigures,
  RefusedSignal,
  RunsWithoutFaults,
  SimulatedEnd,
  SimulatedHat,
  SimulatedLoop,
  SimulatedShare,
  SimulatedStall,
  SimulationReport,
  UntakenEvent,
} from './simulation-report.ts';
export type { SimulationScript } from './simulation-script.ts';
export { toPercent } from './to-percent.ts';
