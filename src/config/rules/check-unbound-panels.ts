import type { Finding } from '../../core/schema/finding.ts';
import { backendsOf, type CompiledBackends } from '../compile/compile-backends.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import { MIN_PANEL_AGENTS } from '../keys/panel-keys.ts';
import type { DeclaredHat } from '../keys/settings-table.ts';
import { findingBetween, listHats, type RuleInput } from './rule.ts';

/** What a hat with a panel is to be held to, and its agents cannot be: they work outside of the sandbox, and a profile binds the native ones only. */
export function checkUnboundPanels(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  return listHats(input).flatMap(([id, hat]) => {
    if ((hat.panel?.agents ?? []).length < MIN_PANEL_AGENTS) return [];
    return [...tellLooseAgents(input, id, hat, backends), ...tellNoSandbox(input, id, hat)];
  });
}

/** Agents that the profile which their hat names does not bind. */
function tellLooseAgents(input: RuleInput, id: string, hat: DeclaredHat, backends: CompiledBackends): readonly Diagnostic[] {
  if (hat.profile === undefined) return [];
  const types = backendsOf(id, backends).map(({ declared }) => declared.type);
  const list = ['hats', id, 'panel', 'agents'];
  return (hat.panel?.agents ?? []).flatMap(({ id: agent = '' }, index) => {
    const type = types[index] ?? 'native';
    if (type === 'native') return [];
    const at = [...input.toItemPath(list, index), 'id'];
    const finding = toLooseFinding({
      hat: id,
      agent,
      type,
      isMixed: types.includes('native'),
    });
    return [findingBetween(input, at, finding, ['hats', id, 'profile'], 'The profile of the hat is here.')];
  });
}

/** An agent of a panel that the profile of its hat does not bind. */
interface LooseAgent {
  readonly hat: string;
  readonly agent: string;
  readonly type: string;
  /** True where other agents of the panel are native. */
  readonly isMixed: boolean;
}

function toLooseFinding({ hat, agent, type, isMixed }: LooseAgent): Finding {
  const program = type === 'auto' ? 'the agent CLI that is found' : type;
  return {
    code: 'panel-unbound',
    severity: 'error',
    message: `The agent ${quote(agent)} of this panel is ${program}, which the profile of its hat would not bind.`,
    why: `In a panel, a profile binds native agents only: what it forbids, this one could do.`,
    fix: `Let native agents alone wear the hat (\`backend: {type: native, …}\`), or ${isMixed ? 'agent CLIs alone, without a `profile`' : 'leave out its `profile`'}.`,
    hats: [hat],
  };
}

/** Every setting by which the hat may not work without a sandbox. */
function tellNoSandbox(input: RuleInput, id: string, { sandbox: own }: DeclaredHat): readonly Diagnostic[] {
  const { declared } = input;
  const demands: readonly (readonly [path: Path, is: boolean, fix: string])[] = [
    [['safe'], declared.safe === true, 'Leave out `safe` (once: `ralph run --no-safe`), or the panel.'],
    [['hats', id, 'sandbox'], own === 'required', 'Write `sandbox: auto` for this hat, or leave out its panel.'],
    [
      ['sandbox', 'mode'],
      own === undefined && declared.sandbox?.mode === 'required',
      `Leave out the panel, or let this hat work without the sandbox:\n\nhats:\n  ${id}:\n    sandbox: auto`,
    ],
  ];
  return demands.flatMap(([path, is, fix]) => {
    if (!is) return [];
    const finding: Finding = {
      code: 'panel-unbound',
      severity: 'error',
      message: `The hat ${quote(id, "'")} has a panel, which cannot be held by the sandbox that this requires.`,
      why: 'The agents of a panel work outside of the sandbox of the operating system: the run would not be held as it says here.',
      fix,
      hats: [id],
    };
    return [findingBetween(input, path, finding, ['hats', id, 'panel'], 'The panel is here.')];
  });
}
