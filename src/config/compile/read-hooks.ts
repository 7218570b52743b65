import { findHookEvent, HOOK_EVENTS, HOOK_MOMENTS, type HookEventName, isLifeEvent, isLoopEvent } from '../../core/hooks/hook-moments.ts';
import type { HookSpec } from '../../core/hooks/hook-spec.ts';
import { createCallMatcher } from '../../core/hooks/match-call.ts';
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
  toSpan,
} from '../findings/located.ts';
import { parseDurationMs } from '../keys/setting-values.ts';
import { toLaterFinding } from '../keys/unknown-key.ts';
import { splitAlternatives } from './known-tools.ts';
import { type HookDefaults, MAX_TIMEOUT_MS, readHookHandler, toHandlerName } from './read-hook-handler.ts';
import { readHookLabels } from './read-hook-labels.ts';

/** A hook with what only its order needs. */
export interface OrderedHook {
  readonly spec: HookSpec;
  readonly priority: number;
  /** `override` does not leave it out. */
  readonly isLocked: boolean;
}

export interface EventHooks {
  readonly isOverride: boolean;
  readonly hooks: readonly OrderedHook[];
}

/** Events of the life of a run and of other tools; nothing asks hooks about those that have no row in the table of events. */
const LATER_EVENTS: readonly string[] = [
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'Notification',
];

type ValueKind = 'text' | 'flag' | 'number' | 'duration' | 'texts' | 'labels' | 'hooks';

const HOOK_KEYS: Readonly<Record<string, ValueKind>> = {
  name: 'text',
  matcher: 'text',
  if: 'text',
  handler: 'text',
  command: 'text',
  args: 'texts',
  type: 'text',
  timeout: 'duration',
  fail_closed: 'flag',
  enabled: 'flag',
  priority: 'number',
  keep_alive: 'flag',
  once: 'flag',
  async: 'flag',
  locked: 'flag',
  runs_on: 'labels',
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
    // They are judged where they are read.
    case 'labels':
    case 'hooks':
      return null;
  }
}

/** The hooks of each hat that has some, in the order in which they are asked. */
export interface CompiledHooks {
  readonly hooks: Readonly<Record<string, readonly HookSpec[]>>;
  /** The same for backends that have hooks of their own, by {@link toHookListName}. */
  readonly ofBackends: Readonly<Record<string, readonly HookSpec[]>>;
  /** Those about a run as a whole: its start, its end, what it needs of its person. */
  readonly ofRun: readonly HookSpec[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The name of the hooks of a backend: the hat, and its place in the list of the hat. */
export function toHookListName(hat: string, index: number): string {
  return `${hat}.${index}`;
}

/** Reads hooks where they are written, and notes what is wrong with them. */
export class HooksReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly workspace: string;
  readonly #defaults: HookDefaults;
  readonly #isTool: (name: string) => boolean;

  /**
   * @param workspace absolute
   * @param isTool whether a name, or a pattern of names, is that of a tool which there is
   */
  constructor(workspace: string, defaults: HookDefaults, isTool: (name: string) => boolean) {
    this.workspace = workspace;
    this.#defaults = defaults;
    this.#isTool = isTool;
  }

  /** @param mayImport whether `import` may stand here; it is read elsewhere */
  readEvents(value: LocatedValue | undefined, mayImport: boolean): ReadonlyMap<HookEventName, EventHooks> {
    const events = new Map<HookEventName, EventHooks>();
    if (value === undefined || isEmptyValue(value)) return events;
    if (value.kind !== 'map') {
      this.report(
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
      if (name === 'import') {
        if (!mayImport)
          this.report(entry.key, 'Hooks are imported for all hats at once.', 'Write `import` under `hooks:` at the top of the file.');
        continue;
      }
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
    this.report(
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
      this.report(value.place, 'There is no list `hooks` here.', 'Write {override: true, hooks: [...]}, or the list itself.');
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
      this.report(item.place, 'A hook is a map with a `handler`.', 'Write for example: {matcher: "Write|Edit", handler: ./check.sh}');
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
          this.report(key, `\`${name}\` is of a single hook, and this is a group.`, 'Write it for each hook of `hooks`.');
      return isEmptyValue(nested) ? [] : this.#readList(event, nested, matcher);
    }
    const pattern = String(matcher?.value ?? '*');
    if (matcher !== null) this.#checkMatcher(event, matcher, pattern);
    if (hook.entries.has('handler') && hook.entries.has('command'))
      this.report(
        hook.place,
        'This hook has a `handler` and a `command`, and one of them would never run.',
        'Leave one out, or write two hooks.',
      );
    const handler = readHookHandler(hook, scalar, this);
    if (handler === null) return [];
    const place = scalar('handler') ?? scalar('command');
    const name = scalar('name')?.written ?? toHandlerName(place?.written ?? '');
    const rule = scalar('if');
    if (rule !== null && createCallMatcher(rule.written) === null)
      this.report(
        rule.place,
        `${quote(rule.written)} is no rule about calls.`,
        'Write the tool and what it is about: bash(git push *), write_file(secret/**)',
      );
    if (rule !== null && isLoopEvent(event))
      this.report(rule.place, `\`if\` is about calls of tools, and ${event} is none.`, 'Leave it out, or use `matcher`.');
    const isOn = (name: string): boolean => scalar(name)?.value === true;
    const isAsync = isOn('async');
    if (isAsync && isOn('fail_closed'))
      this.report(hook.place, '`async` and `fail_closed` exclude each other: nobody waits for what the hook decides.', 'Leave one out.');
    if (isLifeEvent(event) && isOn('fail_closed'))
      this.report(hook.place, `${event} is only told: there is nothing that a failure could deny.`, 'Leave `fail_closed` out.');
    const runsOn = readHookLabels(hook, { event, handler, isKeptAlive: isOn('keep_alive') }, this);
    const spec: HookSpec = {
      name,
      event,
      matcher: pattern,
      ...(rule === null ? {} : { rule: rule.written }),
      handler,
      timeoutMs: this.#readTimeout(scalar('timeout')),
      isFailClosed: !isAsync && !isLifeEvent(event) && (scalar('fail_closed') === null ? this.#defaults.isFailClosed : isOn('fail_closed')),
      ...(isOn('keep_alive') ? { isKeptAlive: true as const } : {}),
      ...(isOn('once') ? { isOnce: true as const } : {}),
      ...(isAsync ? { isAsync } : {}),
      ...(runsOn.length > 0 ? { runsOn } : {}),
      place: `${hook.place.file.name}:${toSpan(hook.place).line}`,
    };
    return [{ spec, priority: Number(scalar('priority')?.value ?? 0) || 0, isLocked: isOn('locked') }];
  }

  #checkKeys({ entries }: LocatedMap, kinds: Readonly<Record<string, ValueKind>>, what: string): void {
    const names = Object.keys(kinds);
    for (const [name, { key, value }] of entries) {
      const kind = readOwn(kinds, name);
      const misfit = kind === undefined || isEmptyValue(value) ? null : findMisfit(kind, value);
      if (kind === undefined)
        this.report(key, `${what} has no key \`${name}\`${endWithMeant(findNearMiss(name, names))}`, `It may have: ${names.join(', ')}.`);
      if (misfit !== null) this.report(value.place, `\`${name}\` is ${misfit[0]}.`, misfit[1]);
    }
  }

  #checkMatcher(event: HookEventName, matcher: LocatedScalar, pattern: string): void {
    const { place } = matcher;
    const { matchedOn } = HOOK_MOMENTS[event];
    if (createToolMatcher(pattern) === null)
      this.report(place, `${quote(pattern)} is not a valid regular expression.`, 'Correct it, or write a pattern such as `Write|Edit`.');
    if (matchedOn === 'nothing' && pattern !== '*')
      this.report(place, `${event} is matched on nothing.`, 'Leave `matcher` out: such a hook is always asked.');
    if (matchedOn !== 'tool') return;
    if (!pattern.startsWith('re:') && /\.\*|[\^$\\(]/.test(pattern)) this.#warnOfExpression(matcher, pattern);
    else this.#warnOfUnknown(matcher, pattern);
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

  #warnOfUnknown({ place }: LocatedScalar, pattern: string): void {
    if (pattern.startsWith('re:') || createToolMatcher(pattern) === null) return;
    const unknown = splitAlternatives(pattern).find((name) => !this.#isTool(name));
    if (unknown === undefined) return;
    this.diagnostics.push(
      toDiagnostic(place, {
        code: 'hook-invalid',
        severity: 'warning',
        message: `There is no tool ${quote(unknown)} here.`,
        why: 'The hook is never asked about it.',
        fix: 'Name a tool that `ralph tools` lists, or a pattern of names, such as git_* or mcp__*. To select calls by their command: `if: "bash(git push *)"`.',
      }),
    );
  }

  #readTimeout(timeout: LocatedScalar | null): number {
    if (timeout === null) return this.#defaults.timeoutMs;
    const ms = typeof timeout.value === 'boolean' ? null : parseDurationMs(timeout.value ?? '');
    if (ms !== null && ms > 0 && ms <= MAX_TIMEOUT_MS) return ms;
    const problem = ms !== null && ms > 0 ? 'too long' : 'no duration';
    this.report(timeout.place, `${quote(timeout.written)} is ${problem}.`, 'Write seconds, such as 30, or 2m; at most 1d.');
    return this.#defaults.timeoutMs;
  }

  /** Notes an error about what stands there. */
  report(place: Place, message: string, fix: string): void {
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
