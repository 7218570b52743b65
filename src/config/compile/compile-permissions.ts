import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import { parseCallRule } from '../../core/hooks/match-call.ts';
import { NO_PERMISSIONS, PERMISSION_DECISIONS, type PermissionRule, type PermissionSpec } from '../../core/hooks/permission-spec.ts';
import { createNearMissFinder, type NearMissFinder } from '../../core/text/near-miss.ts';
import { readOwn } from '../../core/values/json.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import { type Diagnostic, findPlace, type Path, toSpan } from '../findings/located.ts';
import { toRecord } from '../keys/setting-values.ts';
import type { Declared } from '../keys/settings-table.ts';
import { findingAt, type RuleInput } from '../rules/rule.ts';
import { backendsOf, type CompiledBackends } from './compile-backends.ts';
import { createToolFinder, listToolNames, splitAlternatives } from './known-tools.ts';

/** The rules of each hat that has some. */
interface CompiledPermissions {
  readonly permissions: Readonly<Record<string, PermissionSpec>>;
  readonly diagnostics: readonly Diagnostic[];
}

type DeclaredPermissions = NonNullable<Declared['permissions']>;

/** A place in the file where rules are written. */
interface RuleSource {
  readonly path: Path;
  readonly declared: DeclaredPermissions | undefined;
}

const MAX_SEARCHES = 100;

/** Compiles `permissions`, `hats.<id>.permissions` and `ralph.permissions`: the rules of a hat go behind those of all. */
export function compilePermissions(input: RuleInput, backends: CompiledBackends): CompiledPermissions {
  const { declared, hatIds } = input;
  const shared: RuleSource = { path: ['permissions'], declared: declared.permissions };
  const ofRalph: RuleSource = { path: ['ralph', 'permissions'], declared: declared.ralph?.permissions };
  const owners: readonly (readonly [id: string, own: RuleSource])[] = [
    ...(hatIds ?? []).map(
      (id) => [id, { path: ['hats', id, 'permissions'], declared: readOwn(declared.hats ?? {}, id)?.permissions }] as const,
    ),
    [RALPH, ofRalph],
    ...(declared.mode === 'single' ? [[DEFAULT_HAT, ofRalph] as const] : []),
  ];
  const sources = [shared, ...owners.filter(([id]) => id !== DEFAULT_HAT).map(([, own]) => own)];
  const rules = new Map(sources.map((source) => [source, listRules(input, source)]));
  const specs = owners.flatMap(([id, own]): (readonly [string, PermissionSpec])[] => {
    const all = [...(rules.get(shared) ?? []), ...(rules.get(own) ?? [])];
    const onAsk = own.declared?.on_ask ?? shared.declared?.on_ask ?? declared.on_ask;
    if (all.length === 0 && onAsk === undefined) return [];
    const ordered = PERMISSION_DECISIONS.flatMap((decision) => all.filter((rule) => rule.decision === decision));
    return [[id, { rules: ordered, onAsk: onAsk ?? NO_PERMISSIONS.onAsk }]];
  });
  const unbound = owners.flatMap(([id, own]): UnheldHat[] => {
    const types = (id === RALPH || id === DEFAULT_HAT ? backends.ralph : backendsOf(id, backends)).map(({ declared: { type } }) => type);
    const cliTypes = types.filter((type) => type !== 'native');
    const isBinding = specs.some(([name, spec]) => name === id && spec.rules.some(({ decision }) => decision !== 'allow'));
    return isBinding && cliTypes.length > 0 ? [{ id, types: cliTypes, source: (rules.get(own) ?? []).length > 0 ? own : shared }] : [];
  });
  return { permissions: toRecord(specs), diagnostics: [...checkRules(input, sources), ...tellUnbound(input, unbound)] };
}

function listRules(input: RuleInput, { path, declared }: RuleSource): readonly PermissionRule[] {
  return PERMISSION_DECISIONS.flatMap((decision) =>
    (declared?.[decision] ?? []).map((rule, index) => {
      const place = findPlace(input.root, input.toItemPath([...path, decision], index));
      return { decision, rule: rule.trim(), place: `${place.file.name}:${toSpan(place).line}` };
    }),
  );
}

/** Each rule can be read, and names a tool that there is. */
function checkRules(input: RuleInput, sources: readonly RuleSource[]): readonly Diagnostic[] {
  const { declared, toolNames = [] } = input;
  const finder = createNearMissFinder(listToolNames(declared, toolNames), MAX_SEARCHES);
  const isKnown = createToolFinder(declared, toolNames);
  return sources.flatMap(({ path, declared: lists }) =>
    PERMISSION_DECISIONS.flatMap((decision) =>
      (lists?.[decision] ?? []).flatMap((rule, index) => {
        const at = input.toItemPath([...path, decision], index);
        const parsed = parseCallRule(rule);
        if (parsed === null) return [toUnreadable(input, at, rule)];
        const unknown = splitAlternatives(parsed.tool).find((name) => !isKnown(name));
        return unknown === undefined ? [] : [toUnknown(input, at, unknown, finder)];
      }),
    ),
  );
}

function toUnreadable(input: RuleInput, path: Path, rule: string): Diagnostic {
  return findingAt(input, path, {
    code: 'permission-invalid',
    severity: 'error',
    message: `${quote(rule)} is no rule.`,
    why: 'A rule that is not understood would hold nothing back.',
    fix: 'Write a tool, such as bash, or a tool and a pattern in brackets: bash(npm test*), Write(src/**), web_fetch(https://example.com/*)',
  });
}

function toUnknown(input: RuleInput, path: Path, name: string, finder: NearMissFinder): Diagnostic {
  return findingAt(input, path, {
    code: 'permission-invalid',
    severity: 'error',
    message: `There is no tool ${quote(name)}${endWithMeant(finder.find(name))}`,
    why: 'A rule about a tool that does not exist would hold nothing back.',
    fix: name.startsWith('mcp__')
      ? 'Define the server under `mcp_servers:`; `mcp__*` stands for the tools of all of them.'
      : 'Name a tool that `ralph tools` lists, or a pattern of names, such as git_*.',
  });
}

/** A hat whose agents call their tools by themselves, although there are rules that would hold it back. */
interface UnheldHat {
  readonly id: string;
  readonly types: readonly string[];
  readonly source: RuleSource;
}

/** One finding for each place where such rules are written. */
function tellUnbound(input: RuleInput, unbound: readonly UnheldHat[]): readonly Diagnostic[] {
  return [...new Set(unbound.map(({ source }) => source))].map((source) => {
    const here = unbound.filter((one) => one.source === source);
    const hats = here.map(({ id }) => id).filter((id) => id !== RALPH && id !== DEFAULT_HAT);
    const who = [...hats.map((id) => quote(id)), ...(hats.length < here.length ? ['Ralph'] : [])].join(', ');
    const types = [...new Set(here.flatMap((one) => one.types))].map((type) => (type === 'auto' ? 'the agent CLI that is found' : type));
    return findingAt(
      input,
      source.path,
      {
        code: 'permission-not-bound',
        severity: 'warning',
        message: `These permissions do not bind ${who}: ${types.join(', ')} ${types.length === 1 ? 'calls its tools by itself' : 'call their tools by themselves'}.`,
        why: 'Rules about calls of tools hold for the native agent only; what they deny, another agent can do.',
        fix: 'Give the hat `backend: {type: native, …}`, or bind it by a `profile`, a `sandbox` and `gates`, which hold for every agent.',
        ...(hats.length === 0 ? {} : { hats }),
      },
      'key',
    );
  });
}
