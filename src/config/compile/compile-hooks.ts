import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import {
  HOOK_EVENT_ALIASES,
  HOOK_EVENTS,
  type HookEventName,
  type HookFile,
  type HookHandler,
  type HookSpec,
  toScriptCommand,
} from '../../core/hooks/hook-spec.ts';
import { createToolMatcher } from '../../core/hooks/match-tool.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  isEmptyValue,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Path,
  type Place,
  readAt,
  toDiagnostic,
  toShownPlace,
  toSpan,
} from '../findings/located.ts';
import { parseDurationMs, toRecord } from '../keys/setting-values.ts';
import { toLaterFinding } from '../keys/unknown-key.ts';
import { isFile } from '../layers/read-text-file.ts';
import { backendsOf, type CompiledBackends } from './compile-backends.ts';

/** What hooks are compiled from. */
interface HooksRequest {
  readonly root: LocatedMap;
  readonly hatIds: readonly string[] | null;
  readonly isSingle: boolean;
  readonly backends: CompiledBackends;
}

/** The hooks of each hat that has some, in the order in which they are asked. */
export interface CompiledHooks {
  readonly hooks: Readonly<Record<string, readonly HookSpec[]>>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads `hooks`, `hats.<id>.hooks` and `ralph.hooks`. A list of a hat goes behind the list of all, `{override: true, hooks: […]}` in its place; a higher
 * `priority` is asked first. The form of Claude Code's settings, `{matcher, hooks: [{type, command}]}`, is read as well.
 */
export function compileHooks({ root, hatIds, isSingle, backends }: HooksRequest): CompiledHooks {
  const reader = new HooksReader();
  const shared = reader.readEvents(readAt(root, ['hooks']));
  const owners: readonly (readonly [id: string, path: Path, worn: readonly { readonly declared: { readonly type: string } }[]])[] = [
    ...(hatIds ?? []).map((id) => [id, ['hats', id, 'hooks'], backendsOf(id, backends)] as const),
    [RALPH, ['ralph', 'hooks'], backends.ralph],
    ...(isSingle ? [[DEFAULT_HAT, ['ralph', 'hooks'], backends.ralph] as const] : []),
  ];
  const unbound: Unbound[] = [];
  const hooks = owners.flatMap(([id, path, worn]): (readonly [string, readonly HookSpec[]])[] => {
    // Ralph's are read twice where he is the only one: what is wrong with them is told once.
    const own = (id === DEFAULT_HAT ? new HooksReader() : reader).readEvents(readAt(root, path));
    const specs = HOOK_EVENTS.flatMap((event) => mergeLevels(shared.get(event), own.get(event)));
    const types = worn.map(({ declared }) => declared.type).filter((type) => type !== 'native');
    if (specs.length > 0 && types.length > 0) unbound.push({ id, types, path: own.size > 0 ? path : ['hooks'] });
    return specs.length === 0 ? [] : [[id, specs]];
  });
  return { hooks: toRecord(hooks), diagnostics: [...reader.diagnostics, ...tellUnbound(root, unbound)] };
}

/** A hat whose agents call their tools by themselves, although there are hooks. */
interface Unbound {
  readonly id: string;
  readonly types: readonly string[];
  readonly path: Path;
}

/** One finding for each place where such hooks are written. */
function tellUnbound(root: LocatedMap, unbound: readonly Unbound[]): readonly Diagnostic[] {
  const places = [...new Set(unbound.map(({ path }) => path.join('.')))];
  return places.flatMap((place) => {
    const here = unbound.filter(({ path }) => path.join('.') === place);
    const entry = readEntry(root, here[0]?.path ?? []);
    if (entry === undefined) return [];
    const hats = here.map(({ id }) => id).filter((id) => id !== RALPH && id !== DEFAULT_HAT);
    const who = [...hats.map((id) => quote(id)), ...(hats.length < here.length ? ['Ralph'] : [])].join(', ');
    const types = [...new Set(here.flatMap(({ types }) => types))].map((type) => (type === 'auto' ? 'the agent CLI that is found' : type));
    const finding: Finding = {
      code: 'hook-not-bound',
      severity: 'warning',
      message: `These hooks do not bind ${who}: ${types.join(', ')} ${types.length === 1 ? 'calls its tools by itself' : 'call their tools by themselves'}.`,
      why: 'Hooks of tools are asked by the native agent only; what they are to prevent, another agent can do.',
      fix: 'Give the hat `backend: {type: native, …}`, or bind it by a `profile`, a `sandbox` and `gates`, which hold for every agent.',
      ...(hats.length === 0 ? {} : { hats }),
    };
    return [toDiagnostic(entry.key, finding)];
  });
}

/** A hook with what only its order needs. */
interface OrderedHook {
  readonly spec: HookSpec;
  readonly priority: number;
}

interface EventHooks {
  readonly isOverride: boolean;
  readonly hooks: readonly OrderedHook[];
}

function mergeLevels(shared: EventHooks | undefined, own: EventHooks | undefined): readonly HookSpec[] {
  const all = [...(own?.isOverride === true ? [] : (shared?.hooks ?? [])), ...(own?.hooks ?? [])];
  return all.toSorted((left, right) => right.priority - left.priority).map(({ spec }) => spec);
}

/** Events of the life of a run and of other tools, which nothing asks hooks about yet. */
const LATER_EVENTS = [
  'PostToolBatch',
  'PermissionRequest',
  'EventPublish',
  'CompletionRequested',
  'RunStart',
  'RunEnd',
  'TurnStart',
  'TurnEnd',
  'HatChange',
  'NeedsYou',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'Notification',
];

const HOOK_KEYS = [
  'name',
  'matcher',
  'handler',
  'command',
  'args',
  'type',
  'timeout',
  'fail_closed',
  'enabled',
  'priority',
  'keep_alive',
  'hooks',
];
const TYPES = ['command', 'module', 'python'];
const DEFAULT_TIMEOUT_MS = 30_000;

class HooksReader {
  readonly diagnostics: Diagnostic[] = [];

  readEvents(value: LocatedValue | undefined): ReadonlyMap<HookEventName, EventHooks> {
    const events = new Map<HookEventName, EventHooks>();
    if (value === undefined || isEmptyValue(value)) return events;
    if (value.kind !== 'map') {
      this.#report(
        value.place,
        'Hooks are written by event.',
        'Write for example: hooks: {PreToolUse: [{matcher: "Write|Edit", handler: ./check.sh}]}',
      );
      return events;
    }
    // The form of ralph-orchestrator, whose hooks are commands at moments of a run.
    const foreign = value.entries.get('events');
    if (foreign?.value.kind === 'map') {
      this.diagnostics.push(toDiagnostic(foreign.key, toLaterFinding(['hooks', 'events'])));
      return events;
    }
    for (const [name, entry] of value.entries) {
      const event = this.#readEvent(name, entry);
      if (event !== null) events.set(event, this.#readLevel(event, entry.value));
    }
    return events;
  }

  #readEvent(name: string, { key }: LocatedEntry): HookEventName | null {
    const event =
      HOOK_EVENTS.find((known) => known === name) ?? (Object.hasOwn(HOOK_EVENT_ALIASES, name) ? HOOK_EVENT_ALIASES[name] : undefined);
    if (event !== undefined) return event;
    if (LATER_EVENTS.includes(name)) {
      this.diagnostics.push(
        toDiagnostic(key, {
          code: 'hook-not-bound',
          severity: 'warning',
          message: `Hooks of ${name} are not asked in this version.`,
          why: 'What they are to prevent or to tell, they do not.',
          fix: `Take them away, or use one of: ${HOOK_EVENTS.join(', ')}. What must hold before an event counts is a gate: \`gates:\`.`,
        }),
      );
      return null;
    }
    const near = findNearMiss(name, [...HOOK_EVENTS, ...LATER_EVENTS]);
    this.#report(
      key,
      `There is no event ${quote(name)} for hooks${endWithMeant(near)}`,
      `Hooks may be asked about: ${HOOK_EVENTS.join(', ')}.`,
    );
    return null;
  }

  #readLevel(event: HookEventName, value: LocatedValue): EventHooks {
    if (isEmptyValue(value)) return { isOverride: false, hooks: [] };
    const isOverride =
      value.kind === 'map' && !value.entries.has('handler') && !value.entries.has('command') && !value.entries.has('matcher');
    if (!isOverride) return { isOverride: false, hooks: this.#readList(event, value, null) };
    const flag = value.entries.get('override')?.value;
    const hooks = value.entries.get('hooks')?.value;
    if (hooks === undefined)
      this.#report(value.place, 'There is no list `hooks` here.', 'Write {override: true, hooks: [...]}, or the list itself.');
    return {
      isOverride: flag?.kind === 'scalar' && flag.value === true,
      hooks: hooks === undefined || isEmptyValue(hooks) ? [] : this.#readList(event, hooks, null),
    };
  }

  /** @param outer the matcher around the list, as Claude Code writes it */
  #readList(event: HookEventName, value: LocatedValue, outer: LocatedScalar | null): readonly OrderedHook[] {
    const items = value.kind === 'list' ? value.items : [value];
    return items.flatMap((item) => {
      if (item.kind === 'map') return this.#readHook(event, item, outer);
      this.#report(item.place, 'A hook is a map with a `handler`.', 'Write for example: {matcher: "Write|Edit", handler: ./check.sh}');
      return [];
    });
  }

  #readHook(event: HookEventName, hook: LocatedMap, outer: LocatedScalar | null): readonly OrderedHook[] {
    for (const [name, { key }] of hook.entries) {
      if (HOOK_KEYS.includes(name)) continue;
      this.#report(
        key,
        `A hook has no key \`${name}\`${endWithMeant(findNearMiss(name, HOOK_KEYS))}`,
        `It may have: ${HOOK_KEYS.join(', ')}.`,
      );
    }
    const scalar = (name: string): LocatedScalar | null => {
      const value = hook.entries.get(name)?.value;
      return value?.kind === 'scalar' && value.value !== null ? value : null;
    };
    const matcher = scalar('matcher') ?? outer;
    const nested = hook.entries.get('hooks')?.value;
    if (nested !== undefined) return isEmptyValue(nested) ? [] : this.#readList(event, nested, matcher);
    if (scalar('enabled')?.value === false) return [];
    const pattern = String(matcher?.value ?? '*');
    if (matcher !== null && createToolMatcher(pattern) === null)
      this.#report(matcher.place, `${quote(pattern)} is no regular expression.`, 'Correct it, or write a pattern such as `Write|Edit`.');
    if (matcher !== null && !pattern.startsWith('re:') && /\.\*|[\^$\\(]/.test(pattern)) this.#warnOfExpression(matcher, pattern);
    const handler = this.#readHandler(hook, scalar);
    if (handler === null) return [];
    const place = scalar('handler') ?? scalar('command');
    const name = scalar('name')?.written ?? toHandlerName(place?.written ?? '');
    const spec: HookSpec = {
      name,
      event,
      matcher: pattern,
      handler,
      timeoutMs: this.#readTimeout(scalar('timeout')),
      isFailClosed: scalar('fail_closed')?.value === true,
      ...(scalar('keep_alive')?.value === true ? { isKeptAlive: true as const } : {}),
      place: `${hook.place.file.name}:${toSpan(hook.place).line}`,
    };
    return [{ spec, priority: Number(scalar('priority')?.value ?? 0) || 0 }];
  }

  #warnOfExpression({ place }: LocatedScalar, pattern: string): void {
    this.diagnostics.push(
      toDiagnostic(place, {
        code: 'hook-invalid',
        severity: 'warning',
        message: `${quote(pattern)} looks like a regular expression, and is read as a pattern.`,
        why: 'As a pattern it matches hardly any tool, so the hook would never be asked.',
        fix: `Write "re:${pattern}" for a regular expression, or a pattern such as \`mcp__*\`.`,
      }),
    );
  }

  #readTimeout(timeout: LocatedScalar | null): number {
    if (timeout === null) return DEFAULT_TIMEOUT_MS;
    const ms = typeof timeout.value === 'boolean' ? null : parseDurationMs(timeout.value ?? '');
    if (ms !== null && ms > 0) return ms;
    this.#report(timeout.place, `${quote(timeout.written)} is no duration.`, 'Write seconds, such as 30, or 2m.');
    return DEFAULT_TIMEOUT_MS;
  }

  #readHandler(hook: LocatedMap, scalar: (name: string) => LocatedScalar | null): HookHandler | null {
    const type = scalar('type');
    if (type !== null && !TYPES.includes(type.written)) {
      this.#report(
        type.place,
        `${quote(type.written)} is no kind of hook${endWithMeant(findNearMiss(type.written, TYPES))}`,
        `Write one of: ${TYPES.join(', ')}.`,
      );
      return null;
    }
    const line = scalar('command');
    const handler = scalar('handler') ?? line;
    if (handler === null || handler.written.trim() === '') {
      this.#report(
        hook.place,
        'This hook has no handler.',
        'Write what is to be asked: handler: ./check.sh, ./hooks.mjs#check, or package.module.function',
      );
      return null;
    }
    const text = handler.written.trim();
    const args = listTexts(hook.entries.get('args')?.value);
    const [, file, exported] = /^([^\s#]+)#([\w$]+)$/.exec(text) ?? [];
    if (file !== undefined && exported !== undefined && type?.written !== 'command') {
      const found = this.#findFile(handler, file);
      return found === null ? null : { kind: 'module', file: found, exported };
    }
    if (type?.written === 'python' || (type === null && /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(text) && !SCRIPTS.includes(extname(text))))
      return { kind: 'python', path: text, folders: [handler.place.file.folder] };
    if (type?.written === 'module') {
      const found = this.#findFile(handler, text);
      return found === null ? null : { kind: 'module', file: found, exported: 'default' };
    }
    if (/\s/.test(text) && args.length === 0) return { kind: 'shell', line: handler.written };
    return this.#readProgram(handler, text, args);
  }

  #readProgram(handler: LocatedScalar, text: string, args: readonly string[]): HookHandler | null {
    const path = resolve(handler.place.file.folder, text);
    const isProgram = !text.includes('/') && !SCRIPTS.includes(extname(text)) && !isFile(path);
    if (isProgram) return { kind: 'command', argv: [text, ...args], file: null };
    const file = this.#findFile(handler, text);
    return file === null ? null : { kind: 'command', argv: [...toScriptCommand(file.path), ...args], file };
  }

  #findFile(handler: LocatedScalar, name: string): HookFile | null {
    const path = resolve(handler.place.file.folder, name);
    if (isFile(path)) return { path, sha256: hashFile(path) };
    this.diagnostics.push(
      toDiagnostic(toShownPlace({ key: handler.place, value: handler }), {
        code: 'hook-file-missing',
        severity: 'error',
        message: `The hook ${quote(handler.written)} has no file: ${quote(name)} is not there.`,
        why: 'A hook that cannot be started refuses every call that it is about.',
        fix: 'Correct the path; it counts from the folder of this configuration file. Or remove the hook.',
      }),
    );
    return null;
  }

  #report(place: Place, message: string, fix: string): void {
    const finding: Finding = {
      code: 'hook-invalid',
      severity: 'error',
      message,
      why: 'A hook that is not understood would be left out unseen.',
      fix,
    };
    this.diagnostics.push(toDiagnostic(place, finding));
  }
}

const SCRIPTS = ['.sh', '.py', '.js', '.mjs', '.cjs', '.ts'];

/** What a hook without a name is called: its file, its function, its command line. */
function toHandlerName(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return (/\s/.test(line) ? line : basename(line)).slice(0, 80);
}

function readEntry(root: LocatedMap, path: Path): LocatedEntry | undefined {
  const parent = readAt(root, path.slice(0, -1));
  return parent?.kind === 'map' ? parent.entries.get(String(path.at(-1))) : undefined;
}

function listTexts(value: LocatedValue | undefined): readonly string[] {
  if (value?.kind !== 'list') return [];
  return value.items.flatMap((item) => (item.kind === 'scalar' ? [item.written] : []));
}

function hashFile(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}
