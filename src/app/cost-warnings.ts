import type { Settings } from '../config/index.ts';
import { isCostUnknown, RalphError } from '../core/index.ts';

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

/**
 * Looks whether a limit of cost can hold the native agents of a run, those that stand in for others too: Ralph asks their models himself, so he knows
 * before the first call that he will not know what it costs.
 *
 * @throws RalphError `native-cost` (exit code 1)
 */
export function requireKnownCost({ backends, prices, spec, allowsUnknownCost }: Settings): void {
  if (allowsUnknownCost) return;
  for (const agent of Object.values(backends).flat()) {
    const { native } = agent;
    if (native === undefined || native.provider === 'scripted') continue;
    if (spec.limits.maxCostUsd === null && native.maxCostUsd === null) continue;
    if (isCostUnknown(agent, Object.keys(prices))) throw toUnknownCost(agent.model ?? 'model-name', native.provider);
  }
}

function toUnknownCost(model: string, provider: string): RalphError {
  return new RalphError({
    code: 'native-cost',
    what: `What ${model} of ${provider} costs is not known, so the limit of cost cannot hold it.`,
    why: 'The native agent counts tokens; without a price no money can be made of them, and the run would go on past the limit.',
    fix: `Say what it costs (US dollars for a million tokens): prices: {"${model}": {input: 1.25, output: 10}}\nor let it work without: event_loop: {unknown_cost: allow}`,
    exitCode: 1,
  });
}
