import type { RunSpec } from '../core/index.ts';
import { compileTopology, type Topology } from '../topology/index.ts';
import { type Choice, createChoiceTable } from './choice.ts';
import { type SimulateOptions, type SimulationSettings, toSimulationSettings } from './simulate-options.ts';
import { type CompiledScript, compileScript } from './simulation-script.ts';

/** Everything that is the same for all runs of a simulation. */
export interface Stage {
  readonly topology: Topology;
  /** What the runs are started with: checkpoints off, and no more than {@link MAX_TURNS} iterations. */
  readonly spec: RunSpec;
  readonly settings: SimulationSettings;
  readonly choicesOf: (hat: string) => readonly Choice[];
  readonly script: ReadonlyMap<string, CompiledScript>;
}

/** A run that goes on for longer than this is given up, whatever its limits. */
const MAX_TURNS = 2000;

/**
 * Makes the stage ready.
 *
 * @throws RalphError `simulation-option` or `simulation-script` (exit code 2)
 */
export function createStage(played: Topology | RunSpec, options: SimulateOptions): Stage {
  const topology = 'routes' in played ? played : compileTopology(played);
  const { limits } = topology.spec;
  // Before the first turn chance has nothing to say of gates.
  const gates = topology.spec.gates.map(({ baseline: _, ...gate }) => gate);
  return {
    topology: { ...topology, spec: { ...topology.spec, gates } },
    spec: {
      ...topology.spec,
      gates,
      limits: { ...limits, checkpointInterval: 0, maxIterations: Math.min(limits.maxIterations, MAX_TURNS) },
    },
    settings: toSimulationSettings(options),
    choicesOf: createChoiceTable(topology),
    script: options.script === undefined ? new Map() : compileScript(options.script, topology),
  };
}
