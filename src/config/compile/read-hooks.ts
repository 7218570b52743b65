import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import {
  findHookEvent,
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
import { readOwn } from '../../core/values/json.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  isEmptyValue,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Place,
  toDiagnostic,
  toShownPlace,
  toSpan,
} from '../findings/located.ts';
import { parseDurationMs } from '../keys/setting-values.ts';
import { toLaterFinding } from '../keys/unknown-key.ts';
import { isFile } from '../layers/read-text-file.ts';

/** A hook with what only its order needs. */
interface OrderedHook {
  readonly spec: HookSpec;
  readonly priority: number;
}

/** What one place says about one event. */
export interface EventHooks {
  readonly isOverride: boolean;
  readonly hooks: readonly OrderedHook[];
}

/** Events of the life of a run and of other tools, which nothing asks hooks about yet. */
const LATER_EVENTS = [
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

type ValueKind = 'text' | 'flag' | 'number' | 'duration' | 'texts' | 'hooks';

const HOOK_KEYS: Readonly<Record<string, ValueKind>> = {
  name: 'text',
  matcher: 'text',
  handler: 'text',
  command: 'text',
  args: 'texts',
  type: 'text',
  timeout: 'duration',
  fail_closed: 'flag',
  enabled: 'flag',
  priority: 'number',
  keep_alive: 'flag',
  hooks: 'hooks',
};
/** Of hooks under one matcher, as Claude Code writes them. */
const GROUP_KEYS = ['matcher', 'enabled', 'hooks'];
const LEVEL_KEYS: Readonly<Record<string, ValueKind>> = { override: 'flag', hooks: 'hooks' };

/** What is wrong with a value, and what to write; `null` for nothing. */
function findMisfit(kind: ValueKind, value: LocatedValue): readonly [problem: string, fix: string] | null {
  const plain = value.kind === 'scalar' ? value.value : undefined;
  switch (kind) {
    case 'text':
      return plain === undefined ? ['no text', 'Write it as one text.'] : null;
    case 'flag':
      return typeof plain === 'boolean' ? null : ['neither true nor false', 'Write true or false, without quotes.'];
    case 'number':
      return typeof plain === 'number' ? null : ['no number', 'Write a number, such as 10.'];
    case 'duration':
      return plain === undefined ? ['no duration', 'Write seconds, such as 30, or 2m.'] : null;
    case 'texts':
      return value.kind === 'list' && value.items.every((item) => item.kind === 'scalar' && item.value !== null)
        ? null
        : ['no list of texts', 'Write for example: [--all, src]'];
    case 'hooks':
      return null;
  }
}

const TYPES = ['command', 'module', 'python'];
const DEFAULT_TIMEOUT_MS = 30_000;
/** What a timer can hold is not much more. */
const MAX_TIMEOUT_MS = 86_400_000;

/** Reads hooks where they are written, and notes what is wrong with them. */
export class HooksReader {
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
    const isForeign = foreign?.value.kind === 'map';
    if (isForeign) this.diagnostics.push(toDiagnostic(foreign.key, toLaterFinding(['hooks', 'events'])));
    for (const [name, entry] of value.entries) {
      if (isForeign && findHookEvent(name) === undefined) continue;
      const event = this.#readEvent(name, entry);
      if (event === null) continue;
      const { isOverride, hooks } = this.#readLevel(event, entry.value);
      const known = events.get(event);
      // Under another of its names it may be written before.
      events.set(event, { isOverride: isOverride || known?.isOverride === true, hooks: [...(known?.hooks ?? []), ...hooks] });
    }
    return events;
  }

  #readEvent(name: string, { key }: LocatedEntry): HookEventName | null {
    const event = findHookEvent(name);
    if (event !== undefined) return event;
    if (LATER_EVENTS.includes(name)) {
      this.diagnostics.push(
        toDiagnostic(key, {
          code: 'hook-not-bound',
          severity: 'warning',
          message: `Hooks of ${name} are not asked in this version.`,
          why: 'They prevent and report nothing.',
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
    this.#checkKeys(value, LEVEL_KEYS, 'A list of hooks');
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
    this.#checkKeys(hook, HOOK_KEYS, 'A hook');
    const scalar = (name: string): LocatedScalar | null => {
      const value = hook.entries.get(name)?.value;
      return value?.kind === 'scalar' && value.value !== null ? value : null;
    };
    const matcher = scalar('matcher') ?? outer;
    if (scalar('enabled')?.value === false) return [];
    const nested = hook.entries.get('hooks')?.value;
    if (nested !== undefined) {
      for (const [name, { key }] of hook.entries)
        if (Object.hasOwn(HOOK_KEYS, name) && !GROUP_KEYS.includes(name))
          this.#report(key, `\`${name}\` is of a single hook, and this is a group.`, 'Write it for each hook of `hooks`.');
      return isEmptyValue(nested) ? [] : this.#readList(event, nested, matcher);
    }
    const pattern = String(matcher?.value ?? '*');
    if (matcher !== null && createToolMatcher(pattern) === null)
      this.#report(
        matcher.place,
        `${quote(pattern)} is not a valid regular expression.`,
        'Correct it, or write a pattern such as `Write|Edit`.',
      );
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

  #checkKeys({ entries }: LocatedMap, kinds: Readonly<Record<string, ValueKind>>, what: string): void {
    const names = Object.keys(kinds);
    for (const [name, { key, value }] of entries) {
      const kind = readOwn(kinds, name);
      const misfit = kind === undefined || isEmptyValue(value) ? null : findMisfit(kind, value);
      if (kind === undefined)
        this.#report(key, `${what} has no key \`${name}\`${endWithMeant(findNearMiss(name, names))}`, `It may have: ${names.join(', ')}.`);
      if (misfit !== null) this.#report(value.place, `\`${name}\` is ${misfit[0]}.`, misfit[1]);
    }
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
    if (ms !== null && ms > 0 && ms <= MAX_TIMEOUT_MS) return ms;
    const problem = ms !== null && ms > 0 ? 'too long' : 'no duration';
    this.#report(timeout.place, `${quote(timeout.written)} is ${problem}.`, 'Write seconds, such as 30, or 2m; at most 1d.');
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
    if (type?.written === 'python' || (type === null && this.#isPythonPath(handler, text)))
      return { kind: 'python', path: text, folders: [handler.place.file.folder] };
    if (type?.written === 'module') {
      const found = this.#findFile(handler, text);
      return found === null ? null : { kind: 'module', file: found, exported: 'default' };
    }
    if (/\s/.test(text) && args.length === 0) return { kind: 'shell', line: handler.written };
    return this.#readProgram(handler, text, args);
  }

  #isPythonPath({ place }: LocatedScalar, text: string): boolean {
    if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(text) || SCRIPTS.includes(extname(text))) return false;
    return !isFile(resolve(place.file.folder, text));
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
