import { listBackends } from '../backends/index.ts';
import type { Settings } from '../config/index.ts';
import type { BackendSpec } from '../core/index.ts';

/**
 * Says which agents a limit of cost cannot hold: those that tell neither their cost nor tokens that a price is known for (decisions, section 6).
 */
export function toCostWarnings(settings: Settings): readonly string[] {
  if (settings.spec.limits.maxCostUsd === null) return [];
  const blind = [
    ...new Set(
      Object.values(settings.backends)
        .flat()
        .filter((spec) => !isCostKnown(spec, settings))
        .map((spec) => spec.command ?? spec.type),
    ),
  ];
  if (blind.length === 0) return [];
  return [
    `max_cost_usd cannot hold ${blind.join(', ')}: its cost is not known to Ralph. A price under \`prices\` helps where it tells its tokens.`,
  ];
}

function isCostKnown(spec: BackendSpec, settings: Settings): boolean {
  if (spec.type === 'auto') return true;
  const tells = listBackends().find((descriptor) => descriptor.type === spec.type)?.tells ?? 'nothing';
  const hasPrice = spec.model !== undefined && Object.keys(settings.prices).some((name) => spec.model?.startsWith(name));
  return tells === 'cost' || (tells === 'tokens' && hasPrice);
}
