import { RALPH } from '../../core/events/reserved.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import { type ProfilePolicy, resolveProfile } from '../../core/tools/tool-profiles.ts';
import { type CompiledBackends, findProfileName } from '../compile/compile-backends.ts';
import { createPolicyFinder } from '../compile/create-policy-finder.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { CORE_KEYS } from '../keys/settings-table.ts';
import { findingAt, listHats, type RuleInput, withoutDot } from './rule.ts';

const KEYS = ['events_file', 'scratchpad'] as const;

/** The files that every hat writes are in a folder that a hat without write access may write to: one that begins with a dot. */
export function checkAgentFiles(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  const core = input.declared.core;
  const stateDir = toFirstName(core?.state_dir ?? CORE_KEYS.state_dir.default);
  const closed = KEYS.flatMap((key) => {
    const path = core?.[key];
    return path === undefined || input.isBroken(['core', key]) || isOpenToAll(path, stateDir) ? [] : [{ key, path }];
  });
  const hat = closed.length === 0 ? undefined : findHeldHat(input, backends);
  if (hat === undefined) return [];
  return closed.map(({ key, path }) =>
    findingAt(input, ['core', key], {
      code: 'agent-file-closed',
      severity: 'error',
      message: `The hat ${quote(hat, "'")} may not change the workspace, so it could not write ${quote(path)}.`,
      why: 'Such a hat is held to folders of their own that begin with a dot; whatever it wrote elsewhere would be refused, or count as a breach of its profile.',
      fix: `Put the file into such a folder:\n\ncore:\n  ${key}: ${CORE_KEYS[key].default}`,
      ...(hat === RALPH ? {} : { hats: [hat] }),
    }),
  );
}

/** Folders that begin with a dot are open to every hat, but for the one of Ralph's journals. */
function isOpenToAll(path: string, stateDir: string): boolean {
  const name = toFirstName(path);
  return /^\.[^.]/.test(name) && name !== stateDir && withoutDot(path).includes('/');
}

function toFirstName(path: string): string {
  return withoutDot(path).split('/')[0] ?? '';
}

/** The first hat, or Ralph, that has a profile and may not write. */
function findHeldHat(input: RuleInput, backends: CompiledBackends): string | undefined {
  const find = createPolicyFinder(input.declared.profiles ?? {});
  const hats = listHats(input).map(([id, hat]) => [id, findProfileName(id, hat.profile, backends)] as const);
  const named = [...hats, [RALPH, input.declared.ralph?.profile ?? null] as const];
  return named.find(([, name]) => name !== null && !mayChangeTree(find(name)))?.[0];
}

function mayChangeTree(policy: ProfilePolicy): boolean {
  return resolveProfile(policy, BUILT_IN_CARDS).some(({ card, isOffered }) => {
    return isOffered && (['fs_write', 'git_write'].includes(card.group) || (card.group === 'runtime' && !card.hints.readOnly));
  });
}
