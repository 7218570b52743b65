import { RALPH, type RunSpec } from '../../core/index.ts';
import { compileTopology } from '../../topology/index.ts';
import type { AppApi } from '../cli-context.ts';
import { findNearMiss } from '../near-miss.ts';
import { createUsageError } from '../usage-error.ts';

type RunPlan = Awaited<ReturnType<AppApi['planRun']>>;

/** The same plan, narrowed to one turn of one hat (`--hat H --once`). */
export function narrowPlan(plan: RunPlan, hat: string): RunPlan {
  const known = [...plan.topology.hatById.keys()];
  if (hat !== RALPH && !known.includes(hat)) {
    const near = findNearMiss(hat, known);
    throw createUsageError(
      `There is no hat ${JSON.stringify(hat.slice(0, 80))}.`,
      known.length === 0
        ? 'The configuration has no hats.'
        : `${near === undefined ? '' : `Did you mean ${near}? `}Hats: ${known.join(', ')}.`,
    );
  }
  const spec = toOneTurn(plan.settings.spec, hat);
  return { ...plan, settings: { ...plan.settings, spec }, topology: compileTopology(spec) };
}

function toOneTurn(spec: RunSpec, hat: string): RunSpec {
  const limits = { ...spec.limits, maxIterations: 1 };
  if (hat === RALPH) return { ...spec, limits, startingHat: null, startingEvent: null };
  return { ...spec, limits, startingHat: hat, startingEvent: null, coordinator: 'hats' };
}
