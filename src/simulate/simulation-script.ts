import { isJsonObject, isTopic, type Json, RALPH, RalphError, TOPIC_COMPLETE } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import type { Choice } from './choice.ts';

/**
 * What hats do instead of choosing by chance, by hat id (or `ralph`): a list is played in order, from its beginning in each run and round and
 * round; numbers are weights. A step is a topic, a topic and its target (`build.done@critic`), the promise (also as `task.complete`),
 * `(silent)`, or `(failure)`. Steps that the hat may not take are played too: they are refused, as they would be in a run.
 */
export interface SimulationScript {
  readonly hats: Readonly<Record<string, readonly string[] | Readonly<Record<string, number>>>>;
}

/** A script that was checked: what to do, and how often in proportion. */
export interface CompiledScript {
  readonly choices: readonly Choice[];
  /** `null`: in order. */
  readonly weights: readonly number[] | null;
}

const MAX_STEPS = 1000;

/**
 * Holds a script against a topology.
 *
 * @param value what a script's file says, or a {@link SimulationScript}
 * @throws RalphError `simulation-script` (exit code 2) for the first thing in it that cannot be played
 */
export function compileScript(value: Json | SimulationScript, topology: Topology): ReadonlyMap<string, CompiledScript> {
  const top = value as Json;
  if (!isJsonObject(top) || !isJsonObject(top['hats'])) throw refuse('`hats:` is missing.');
  const unknown = Object.keys(top).find((key) => key !== 'hats');
  if (unknown !== undefined) throw refuse(`it has an unknown key ${quote(unknown)}.`);
  const compiled = new Map<string, CompiledScript>();
  for (const [hat, steps] of Object.entries(top['hats'])) {
    if (!topology.hatById.has(hat) && (hat !== RALPH || topology.classic))
      throw refuse(
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
  if (!isJsonObject(list)) throw refuse(`what ${quote(hat)} does must be a list of topics, or topics with weights.`);
  const entries = Object.entries(list);
  demandSteps(hat, entries.length);
  const weights = entries.map(([step, weight]) => toWeight(hat, step, weight));
  if (weights.every((weight) => weight === 0)) throw refuse(`all weights of ${quote(hat)} are 0.`);
  return { choices: entries.map(([step]) => toChoice(hat, step, topology)), weights };
}

function demandSteps(hat: string, count: number): void {
  if (count === 0) throw refuse(`${quote(hat)} has no step. For a hat that writes nothing: ["(silent)"].`);
  if (count > MAX_STEPS) throw refuse(`${quote(hat)} has more than ${MAX_STEPS} steps.`);
}

function toWeight(hat: string, step: string, weight: Json | undefined): number {
  if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) return weight;
  throw refuse(`the weight of ${quote(step)} of ${quote(hat)} must be a number from 0 on.`);
}

function toChoice(hat: string, step: Json, topology: Topology): Choice {
  if (step === '(silent)') return { kind: 'silent' };
  if (step === '(failure)') return { kind: 'failure' };
  if (step === topology.spec.promise || step === TOPIC_COMPLETE) return { kind: 'promise' };
  const [topic = '', target] = typeof step === 'string' ? step.split('@') : [];
  if (!isTopic(topic)) throw refuse(`${quote(hat)} cannot do ${quote(step)}: a step is a topic, the promise, (silent) or (failure).`);
  if (target === undefined) return { kind: 'event', topics: [topic] };
  if (!topology.hatById.has(target)) throw refuse(`${quote(step)} of ${quote(hat)} names no hat.`);
  return { kind: 'event', topics: [topic], target };
}

function quote(value: Json): string {
  return JSON.stringify(value).slice(0, 80);
}

function refuse(why: string): RalphError {
  const fix =
    'For example:\n\nhats:\n  builder: [build.done, build.done, build.blocked]\n  critic: {review.approved: 3, review.rejected: 1}';
  return new RalphError({ code: 'simulation-script', what: `The script cannot be played: ${why}`, fix, exitCode: 2 });
}
