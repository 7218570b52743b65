import { backendsOf, type CompiledBackends, isNative, NATIVE_DEFAULT, type PlacedBackend } from '../compile/compile-backends.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** A hat with the native agent says what it may do. */
export function checkNativeProfiles(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  return listHats(input).flatMap(([id, hat]) => {
    const isOpen = hat.profile === undefined && !input.isBroken(['hats', id, 'profile']);
    const native = isOpen ? backendsOf(id, backends).find((backend) => isNative([backend]) && isWithoutProfile(input, backend)) : undefined;
    if (native === undefined) return [];
    // What the hat, or an agent of its panel, has from elsewhere is told at the hat.
    const path = native.path?.[0] === 'hats' ? native.path.slice(0, native.path.lastIndexOf('backend') + 1) : ['hats', id];
    return [
      findingAt(
        input,
        path,
        {
          code: 'profile-missing',
          severity: 'warning',
          message: `The hat ${quote(id, "'")} has the native agent and no profile: it gets \`${NATIVE_DEFAULT}\`, and can only read.`,
          why: 'Its tools run with your rights; what nobody allowed is not allowed.',
          fix: `Say what it may do:\n\nhats:\n  ${id}:\n    profile: creator`,
          hats: [id],
        },
        'key',
      ),
    ];
  });
}

/** Whether no agent of a panel is meant, or one that names no profile. */
function isWithoutProfile(input: RuleInput, { agent }: PlacedBackend): boolean {
  return agent === undefined || (agent.profile === undefined && !input.isBroken([...agent.path, 'profile']));
}
