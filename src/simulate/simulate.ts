import type { RunSpec } from '../core/run/run-spec.ts';
import { compileTopology, type Topology } from '../topology/routing/compile-topology.ts';
import { createChoiceTable } from './choices.ts';
import { compileScript, toSimulationSettings } from './compile-options.ts';
import { createReport, listLoops } from './create-report.ts';
import { simulateRun } from './simulate-run.ts';
import type { RunsWithoutFaults, SimulatedRun, SimulateOptions, SimulationReport, SimulationSetup } from './simulation-types.ts';
import { countRun, createTally } from './tally.ts';

/** A simulation that goes on run by run, so that the caller can do something in between. */
export interface Simulation {
  readonly runs: number;
  /** How many there were so far. */
  readonly done: () => number;
  /** Simulates the next run; false if there were all. */
  readonly runNext: () => boolean;
  /** What the runs so far show. */
  readonly report: () => SimulationReport;
}

/**
 * Simulates a team many times with agents that obey their contracts and otherwise do what chance says, by the same decisions as real runs. Each
 * turn publishes one of the hat's topics or, where the hat may, ends the run, all with equal chance; some turns write nothing, some fail.
 * No agent, file or clock is touched.
 *
 * @param team a run's specification, or its topology
 * @throws RalphError `simulation-option` or `simulation-script` (exit code 2)
 */
export function simulateTeam(team: Topology | RunSpec, options: SimulateOptions = {}): SimulationReport {
  const simulation = createSimulation(team, options);
  while (simulation.runNext());
  return simulation.report();
}

/** As {@link simulateTeam}, run by run. */
export function createSimulation(team: Topology | RunSpec, options: SimulateOptions = {}): Simulation {
  const setup = createSetup(team, options);
  const tally = createTally();
  let withoutFaults: RunsWithoutFaults | null = null;
  return {
    runs: setup.settings.runs,
    done: () => tally.runs,
    runNext: () => {
      if (tally.runs >= setup.settings.runs) return false;
      countRun(tally, simulateRun(setup, tally.runs + 1));
      return true;
    },
    report: () => {
      if (tally.completesWithoutFaults) withoutFaults = { canComplete: true, loops: [] };
      withoutFaults ??= simulateWithoutFaults(setup);
      return createReport(setup, tally, withoutFaults);
    },
  };
}

/** Simulates one run alone, turn by turn as it is in the simulation. `run` is its number, from 1 on. */
export function traceRun(team: Topology | RunSpec, run: number, options: SimulateOptions = {}): SimulatedRun {
  return simulateRun(createSetup(team, options), run);
}

/** Runs that go on for longer are given up, whatever their limits. */
const MAX_ITERATIONS = 2000;

/**
 * Compiles what a simulation is asked for.
 *
 * @throws RalphError `simulation-option` or `simulation-script` (exit code 2)
 */
function createSetup(team: Topology | RunSpec, options: SimulateOptions): SimulationSetup {
  const topology = 'routes' in team ? team : compileTopology(team);
  const { limits } = topology.spec;
  // Gates do not fail by chance before the first turn.
  const gates = topology.spec.gates.map(({ baseline: _, ...gate }) => gate);
  return {
    topology: { ...topology, spec: { ...topology.spec, gates } },
    spec: {
      ...topology.spec,
      gates,
      limits: { ...limits, checkpointInterval: 0, maxIterations: Math.min(limits.maxIterations, MAX_ITERATIONS) },
    },
    settings: toSimulationSettings(options),
    choicesOf: createChoiceTable(topology),
    script: options.script === undefined ? new Map() : compileScript(options.script, topology),
  };
}

/** Runs without faults after which a team is said not to complete by itself. */
const MAX_SOUND_RUNS = 50;
/** Fewer runs where they are long, so that a flow without an end does not take for ever. */
const MAX_SOUND_TURNS = 10_000;

/**
 * Whether the flow leads to an end by itself, which faults can hide: a failure often sends a run to a hat that may end it. Simulates until a run completes.
 */
function simulateWithoutFaults(setup: SimulationSetup): RunsWithoutFaults {
  const sound: SimulationSetup = { ...setup, settings: { ...setup.settings, silent: 0, failure: 0, gateFailure: 0 } };
  const tally = createTally();
  for (let turns = 0; tally.runs < MAX_SOUND_RUNS && turns < MAX_SOUND_TURNS; ) {
    const run = simulateRun(sound, tally.runs + 1);
    countRun(tally, run);
    if (tally.completesWithoutFaults) return { canComplete: true, loops: [] };
    turns += run.turns.length;
  }
  return { canComplete: false, loops: listLoops(tally) };
}
