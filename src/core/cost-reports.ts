import type { BackendSpec, BackendType } from './backend-spec.ts';
import { findListPrice } from './list-prices.ts';

/**
 * What the stream of each kind of agent tells of a turn's cost: money, tokens that a price table can turn into money, or nothing. Kinds that are
 * not here can be any program.
 */
const COST_REPORTS: Readonly<Partial<Record<BackendType, 'cost' | 'tokens' | 'nothing'>>> = {
  claude: 'cost',
  codex: 'tokens',
  gemini: 'tokens',
  opencode: 'cost',
  pi: 'cost',
  copilot: 'nothing',
  qwen: 'tokens',
  cline: 'cost',
  auggie: 'nothing',
  amp: 'nothing',
  kiro: 'nothing',
  acp: 'tokens',
  custom: 'nothing',
  native: 'tokens',
};

/**
 * True if the cost of an agent is surely not known (decisions, section 6): it tells neither cost nor tokens, or tokens for which there is no price. `priced`:
 * the names in the price table. An agent that picks its model itself may pick one that is priced.
 */
export function isCostUnknown(spec: Pick<BackendSpec, 'type' | 'model' | 'outputFormat'>, priced: readonly string[]): boolean {
  const report = COST_REPORTS[spec.type];
  if (report === 'nothing') return spec.type !== 'custom' || spec.outputFormat === undefined || spec.outputFormat === 'text';
  if (report !== 'tokens') return false;
  const { model } = spec;
  if (spec.type === 'native' && model !== undefined && findListPrice(model) !== undefined) return false;
  return model === undefined ? priced.length === 0 : !priced.some((name) => model.startsWith(name));
}
