/**
 * Front door of `simulate`: a team, run many times by chance through the real decisions.
 * `simulation-types <- choices, compile-options, run-under-way <- simulate-panel <- simulate-run, tally <- create-report <- simulate`.
 */
export { toPercent } from './create-report.ts';
export { createSimulation, type Simulation, simulateTeam, traceRun } from './simulate.ts';
export type {
  DumbHat,
  HatTopic,
  IterationFigures,
  RefusedSignal,
  RunsWithoutFaults,
  SimulatedEnd,
  SimulatedEvent,
  SimulatedHat,
  SimulatedLoop,
  SimulatedPanel,
  SimulatedPanelHat,
  SimulatedPanelOutcome,
  SimulatedPublication,
  SimulatedRun,
  SimulatedShare,
  SimulatedStall,
  SimulatedTurn,
  SimulateOptions,
  SimulationReport,
  SimulationScript,
  SimulationSettings,
  UntakenEvent,
} from './simulation-types.ts';
