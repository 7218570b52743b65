import type { RunSpec } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { createReport } from './create-report.ts';
import { playRun } from './play-run.ts';
import { playWithoutFaults } from './play-without-faults.ts';
import type { PlayedRun } from './played-run.ts';
import type { SimulateOptions } from './simulate-options.ts';
import type { RunsWithoutFaults, SimulationReport } from './simulation-report.ts';
import { createStage } from './stage.ts';
import { countRun, createTally } from './tally.ts';

/** A simulation that is played run by run, so that the caller can do something in between. */
export interface Simulation {
  /** How many runs are to be played in all. */
  readonly runs: number;
  /** How many were played so far. */
  readonly played: () => number;
  /** Plays the next run; false if all are played. */
  readonly playNext: () => boolean;
  /** What the runs so far show. */
  readonly report: () => SimulationReport;
}

/**
 * Plays a team many times with agents that obey their contracts and otherwise do what chance says, by the same decisions as real runs. Each
 * turn publishes one of the hat's topics or, where the hat may, ends the run, all with equal chance; some turns write nothing, some fail.
 * No agent, file or clock is touched.
 *
 * @param played a run's specification, or its topology
 * @throws RalphError `simulation-option` or `simulation-script` (exit code 2)
 */
export function simulate(played: Topology | RunSpec, options: SimulateOptions = {}): SimulationReport {
  const simulation = createSimulation(played, options);
  while (simulation.playNext());
  return simulation.report();
}

/** As {@link simulate}, run by run. */
export function createSimulation(played: Topology | RunSpec, options: SimulateOptions = {}): Simulation {
  const stage = createStage(played, options);
  const tally = createTally();
  let withoutFaults: RunsWithoutFaults | null = null;
  return {
    runs: stage.settings.runs,
    played: () => tally.runs,
    playNext: () => {
      if (tally.runs >= stage.settings.runs) return false;
      countRun(tally, playRun(stage, tally.runs + 1));
      return true;
    },
    report: () => {
      if (tally.completesWithoutFaults) withoutFaults = { canComplete: true, loops: [] };
      withoutFaults ??= playWithoutFaults(stage);
      return createReport(stage, tally, withoutFaults);
    },
  };
}

/** Plays one run of a simulation alone, turn by turn as it is played there. `run` is its number, from 1 on. */
export function traceRun(played: Topology | RunSpec, run: number, options: SimulateOptions = {}): PlayedRun {
  return playRun(createStage(played, options), run);
}
