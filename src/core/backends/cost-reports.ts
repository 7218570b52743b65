import { AGENT_CLIS, type BackendSpec, isAgentCli, type OtherBackendType } from './backend-spec.ts';
import { findListPrice } from './list-prices.ts';

/** What is told of the cost by those that are no agent CLI; `null`: it can be any program, or costs nothing. */
const OTHER_COSTS: Readonly<Record<OtherBackendType, 'tokens' | 'nothing' | null>> = {
  acp: 'tokens',
  custom: 'nothing',
  native: 'tokens',
  scripted: null,
  auto: null,
};

/**
 * True if the cost of an agent is surely not known: it tells neither cost nor tokens, or tokens for which there is no price. `priced`:
 * the names in the price table. An agent that picks its model itself may pick one that is priced.
 */
export function isCostUnknown(spec: Pick<BackendSpec, 'type' | 'model' | 'outputFormat'>, priced: readonly string[]): boolean {
  const report = isAgentCli(spec.type) ? AGENT_CLIS[spec.type].costs : OTHER_COSTS[spec.type];
  if (report === 'nothing') return spec.type !== 'custom' || spec.outputFormat === undefined || spec.outputFormat === 'text';
  if (report !== 'tokens') return false;
  const { model } = spec;
  if (spec.type === 'native' && model !== undefined && findListPrice(model) !== undefined) return false;
  return model === undefined ? priced.length === 0 : !priced.some((name) => model.startsWith(name));
}
