import { RALPH, RalphError, type RunSpec } from '../core/index.ts';

/**
 * The same declaration, narrowed to one turn of one hat (`--hat H --once`).
 *
 * @throws RalphError `hat-not-there`
 */
export function narrowSpec(spec: RunSpec, hat: string): RunSpec {
  const known = (spec.hats ?? []).map(({ id }) => id);
  const limits = { ...spec.limits, maxIterations: 1 };
  if (hat === RALPH) return { ...spec, limits, startingHat: null, startingEvent: null };
  if (known.includes(hat)) return { ...spec, limits, startingHat: hat, startingEvent: null, coordinator: 'hats' };
  throw new RalphError({
    code: 'hat-not-there',
    what: `There is no hat ${JSON.stringify(hat.slice(0, 80))}.`,
    fix: known.length === 0 ? 'The configuration has no hats.' : `Hats: ${known.join(', ')}.`,
    exitCode: 2,
  });
}
