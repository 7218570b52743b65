import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import { isCostUnknown } from '../../core/backends/cost-reports.ts';
import { backendsOf, type CompiledBackends, type PlacedBackend, toBackendSpec } from '../compile/compile-backends.ts';
import { quote } from '../findings/diagnostics.ts';
import { type Diagnostic, findPlace, toSpan } from '../findings/located.ts';
import { findingAt, type RuleInput } from './rule.ts';

const PATH = ['event_loop', 'max_cost_usd'];
const SHOWN = 5;

/** A limit of cost has no effect on agents that report no cost. Agents that are chosen only at the start are reported there. */
export function checkCostLimit(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  if (input.declared.event_loop?.max_cost_usd === undefined) return [];
  const priced = Object.keys(input.declared.prices ?? {});
  const worn = [['ralph', backends.ralph] as const, ...(input.hatIds ?? []).map((id) => [id, backendsOf(id, backends)] as const)];
  const owners = new Set<string>();
  const blind = new Map<string, PlacedBackend>();
  for (const [hat, list] of worn) {
    for (const backend of list) {
      const spec = toBackendSpec(backend);
      if (!isCostUnknown(spec, priced)) continue;
      owners.add(hat);
      const name = toName(spec);
      if (!blind.has(name)) blind.set(name, backend);
    }
  }
  return blind.size === 0 ? [] : [toFinding(input, blind, [...owners])];
}

function toName({ type, command, model }: BackendSpec): string {
  return [command ?? type, ...(model === undefined ? [] : [`(${model})`])].join(' ');
}

function toFinding(input: RuleInput, blind: ReadonlyMap<string, PlacedBackend>, owners: readonly string[]): Diagnostic {
  const names = [...blind.keys()].slice(0, SHOWN);
  const more = blind.size - names.length;
  const finding = findingAt(input, PATH, {
    code: 'cost-unknown',
    severity: 'warning',
    message: `The limit cannot hold ${names.map((name) => quote(name)).join(', ')}${more > 0 ? ` and ${more} more` : ''}: the cost is not known.`,
    why: 'Turns of unknown cost count as nothing, so the run continues past the limit.',
    fix: toFix([...blind.values()].map(toBackendSpec)),
    ...(owners.includes('ralph') && owners.length === 1 ? {} : { hats: owners.filter((hat) => hat !== 'ralph').slice(0, 20) }),
  });
  const related = [...blind].slice(0, SHOWN).flatMap(([name, { path }]) => {
    const place = path === null ? null : findPlace(input.root, path);
    return place === null || place.file.name !== finding.file ? [] : [{ ...toSpan(place), message: `${quote(name)} is named here.` }];
  });
  return related.length === 0 ? finding : { ...finding, related };
}

/** A price helps only for an agent that reports its tokens. */
function toFix(blind: readonly BackendSpec[]): string {
  const bounds = 'rely on `max_iterations` and `max_runtime_seconds`';
  const priceable = blind.filter((spec) => !isCostUnknown({ ...spec, model: 'any' }, ['any']));
  if (priceable.length === 0) return `Take an agent that tells its cost, or ${bounds}.`;
  const model = priceable.flatMap((spec) => spec.model ?? []).find((name) => /^[\w./-]{1,60}$/.test(name)) ?? 'model-name';
  return `Say what its model costs (US dollars for a million tokens):\n\nprices:\n  ${model}: {input: 1.25, output: 10}\n\nOtherwise ${bounds}.`;
}
