import type { Settings } from '../config/index.ts';
import { isCostUnknown } from '../core/index.ts';

/**
 * Says which agents a limit of cost cannot hold (decisions, section 6), as far as the check of the configuration could not: where the limit was given
 * on the command line, or the agent was only found now. `told`: the settings about which it has said so.
 */
export function toCostWarnings(settings: Settings, told: Settings | null): readonly string[] {
  if (settings.spec.limits.maxCostUsd === null) return [];
  const known = new Set(told === null ? [] : listBlind(told));
  const blind = listBlind(settings).filter((name) => !known.has(name));
  if (blind.length === 0) return [];
  return [
    `max_cost_usd cannot hold ${blind.join(', ')}: its cost is not known to Ralph. A price under \`prices\` helps where it tells its tokens.`,
  ];
}

function listBlind({ backends, prices }: Settings): readonly string[] {
  const blind = Object.values(backends)
    .flat()
    .filter((spec) => isCostUnknown(spec, Object.keys(prices)));
  return [...new Set(blind.map((spec) => spec.command ?? spec.type))];
}
