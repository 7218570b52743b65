import { backendsOf, type CompiledBackends, isNative, NATIVE_DEFAULT } from '../compile/compile-backends.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** A hat with the native agent says what it may do. */
export function checkNativeProfiles(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  return listHats(input).flatMap(([id, hat]) => {
    const isOpen = hat.profile === undefined && !input.isBroken(['hats', id, 'profile']);
    if (!isOpen || !isNative(backendsOf(id, backends))) return [];
    const path = hat.backend === undefined ? ['hats', id] : ['hats', id, 'backend'];
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
