import { RALPH, TOPIC_COMPLETE } from '../core/events/reserved.ts';
import { isTopic } from '../core/events/topics.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import type { CompiledScript, SimulatedChoice, SimulateOptions, SimulationScript, SimulationSettings } from './simulation-types.ts';

const DEFAULTS: SimulationSettings = {
  runs: 1000,
  seed: 1,
  silent: 0.05,
  failure: 0.05,
  gateFailure: 0.2,
  constantPayloads: false,
  turnMs: 60_000,
  turnCostUsd: null,
};

const MAX_RUNS = 1_000_000;

/**
 * Fills in the defaults.
 *
 * @throws RalphError `simulation-option` (exit code 2) for a value that cannot be
 */
export function toSimulationSettings(options: SimulateOptions): SimulationSettings {
  const { script: _, ...given } = options;
  const settings: SimulationSettings = { ...DEFAULTS, ...given };
  const { runs, seed, silent, failure, gateFailure, turnMs, turnCostUsd } = settings;
  demand(Number.isSafeInteger(runs) && runs >= 1 && runs <= MAX_RUNS, 'runs', 'a whole number from 1 to 1,000,000');
  demand(Number.isSafeInteger(seed), 'seed', 'a whole number');
  for (const [name, share] of Object.entries({ silent, failure, 'gate failure': gateFailure }))
    demand(share >= 0 && share <= 1, name, 'a share from 0 to 1');
  demand(silent + failure <= 1, 'silent and failure', 'no more than 1 together');
  demand(Number.isFinite(turnMs) && turnMs >= 0, 'the time of a turn', 'a time from 0 on');
  demand(turnCostUsd === null || (Number.isFinite(turnCostUsd) && turnCostUsd >= 0), 'the cost of a turn', 'an amount from 0 on');
  return settings;
}

function demand(holds: boolean, name: string, what: string): void {
  if (holds) return;
  throw new RalphError({
    code: 'simulation-option',
    what: `The simulation cannot run: ${name} must be ${what}.`,
    fix: '`ralph simulate --help` has examples.',
    exitCode: 2,
  });
}

const MAX_STEPS = 1000;

/**
 * Checks a script against a topology.
 *
 * @param value what a script's file says, or a {@link SimulationScript}
 * @throws RalphError `simulation-script` (exit code 2) for the first step that is no step
 */
export function compileScript(value: Json | SimulationScript, topology: Topology): ReadonlyMap<string, CompiledScript> {
  const top = value as Json;
  if (!isJsonObject(top) || !isJsonObject(top['hats'])) throw invalid('`hats:` is missing.');
  const unknown = Object.keys(top).find((key) => key !== 'hats');
  if (unknown !== undefined) throw invalid(`it has an unknown key ${quote(unknown)}.`);
  const compiled = new Map<string, CompiledScript>();
  for (const [hat, steps] of Object.entries(top['hats'])) {
    if (!topology.hatById.has(hat) && (hat !== RALPH || topology.classic))
      throw invalid(
        `there is no hat ${quote(hat)}. There are: ${[...topology.hatById.keys(), ...(topology.classic ? [] : [RALPH])].slice(0, 50).join(', ')}.`,
      );
    compiled.set(hat, compileSteps(hat, steps, topology));
  }
  return compiled;
}

function compileSteps(hat: string, steps: Json | undefined, topology: Topology): CompiledScript {
  const list = typeof steps === 'string' ? [steps] : steps;
  if (Array.isArray(list)) {
    demandSteps(hat, list.length);
    return { choices: list.map((step) => toChoice(hat, step, topology)), weights: null };
  }
  if (!isJsonObject(list)) throw invalid(`what ${quote(hat)} does must be a list of topics, or topics with weights.`);
  const entries = Object.entries(list);
  demandSteps(hat, entries.length);
  const weights = entries.map(([step, weight]) => toWeight(hat, step, weight));
  if (weights.every((weight) => weight === 0)) throw invalid(`all weights of ${quote(hat)} are 0.`);
  return { choices: entries.map(([step]) => toChoice(hat, step, topology)), weights };
}

function demandSteps(hat: string, count: number): void {
  if (count === 0) throw invalid(`${quote(hat)} has no step. For a hat that writes nothing: ["(silent)"].`);
  if (count > MAX_STEPS) throw invalid(`${quote(hat)} has more than ${MAX_STEPS} steps.`);
}

function toWeight(hat: string, step: string, weight: Json | undefined): number {
  if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) return weight;
  throw invalid(`the weight of ${quote(step)} of ${quote(hat)} must be a number from 0 on.`);
}

function toChoice(hat: string, step: Json, topology: Topology): SimulatedChoice {
  if (step === '(silent)') return { kind: 'silent' };
  if (step === '(failure)') return { kind: 'failure' };
  if (step === topology.spec.promise || step === TOPIC_COMPLETE) return { kind: 'promise' };
  const [topic = '', target] = typeof step === 'string' ? step.split('@') : [];
  if (!isTopic(topic)) throw invalid(`${quote(hat)} cannot do ${quote(step)}: a step is a topic, the promise, (silent) or (failure).`);
  if (target === undefined) return { kind: 'event', topics: [topic] };
  if (!topology.hatById.has(target)) throw invalid(`${quote(step)} of ${quote(hat)} names no hat.`);
  return { kind: 'event', topics: [topic], target };
}

function quote(value: Json): string {
  return JSON.stringify(value).slice(0, 80);
}

function invalid(why: string): RalphError {
  const fix =
    'For example:\n\nhats:\n  builder: [build.done, build.done, build.blocked]\n  critic: {review.approved: 3, review.rejected: 1}';
  return new RalphError({ code: 'simulation-script', what: `The script cannot be followed: ${why}`, fix, exitCode: 2 });
}
