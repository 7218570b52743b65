import { resolve } from 'node:path';
import { findHookEvent, type HookDialect, type HookEventName } from '../../core/hooks/hook-moments.ts';
import type { HookHandler, HookSpec } from '../../core/hooks/hook-spec.ts';
import { createCallMatcher } from '../../core/hooks/match-call.ts';
import { createForeignMatcher } from '../../core/hooks/match-tool.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import {
  createSourceFile,
  type Diagnostic,
  isEmptyValue,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Place,
  readAt,
  toDiagnostic,
  toSpan,
} from '../findings/located.ts';
import { liesOutside, type ReadText } from '../layers/read-text-file.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { toPlainJson } from './plain-json.ts';
import { type HookDefaults, MAX_TIMEOUT_MS, toHandlerName } from './read-hook-handler.ts';

/** Hooks that stand in the settings of an agent CLI, in the order in which they are asked. */
export interface ImportedHooks {
  readonly specs: readonly HookSpec[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface HookImportRequest {
  /** The workspace, absolute. */
  readonly cwd: string;
  readonly readText: ReadText;
  readonly defaults: HookDefaults;
}

interface ForeignSettings {
  /** In the workspace; at least one has to be there. */
  readonly files: readonly string[];
  /** Says where the project is. */
  readonly variable: string;
  readonly defaultTimeoutMs: number;
  readonly timeoutUnitMs: number;
  /** Paths of a flag, and the value that switches all hooks off. */
  readonly switches: readonly (readonly [path: readonly string[], off: boolean])[];
  /** Paths of lists with the names of hooks that are off. */
  readonly disabled: readonly (readonly string[])[];
  /** Keys of `hooks` that are no events. */
  readonly notEvents: readonly string[];
}

/** Sources: the hooks reference of Claude Code and of Gemini CLI. */
const SETTINGS: Readonly<Record<HookDialect, ForeignSettings>> = {
  claude: {
    files: ['.claude/settings.json', '.claude/settings.local.json'],
    variable: 'CLAUDE_PROJECT_DIR',
    defaultTimeoutMs: 600_000,
    timeoutUnitMs: 1000,
    switches: [[['disableAllHooks'], true]],
    disabled: [],
    notEvents: [],
  },
  gemini: {
    files: ['.gemini/settings.json'],
    variable: 'GEMINI_PROJECT_DIR',
    defaultTimeoutMs: 60_000,
    timeoutUnitMs: 1,
    switches: [
      [['hooksConfig', 'enabled'], false],
      [['hooks', 'enabled'], false],
    ],
    disabled: [
      ['hooksConfig', 'disabled'],
      ['hooks', 'disabled'],
    ],
    notEvents: ['enabled', 'disabled', 'notifications'],
  },
};

const NAMES = Object.keys(SETTINGS) as readonly HookDialect[];
const MAX_BYTES = 1_000_000;

/** Reads the hooks of the agent CLIs that `hooks.import` names, by their own rules, from their settings in the workspace. */
export function importHooks(value: LocatedValue | undefined, request: HookImportRequest): ImportedHooks {
  const reader = new ForeignReader(request);
  if (value === undefined || isEmptyValue(value)) return { specs: [], diagnostics: [] };
  const items = value.kind === 'list' ? value.items : [value];
  const seen = new Set<HookDialect>();
  const specs = items.flatMap((item) => {
    const written = item.kind === 'scalar' ? item.written : '';
    const name = NAMES.find((known) => known === written);
    if (name === undefined) {
      const meant = endWithMeant(findNearMiss(written, NAMES));
      reader.report(item.place, `Hooks cannot be imported from ${quote(written)}${meant}`, `Write one of: ${NAMES.join(', ')}.`);
    }
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    return reader.readAll(name, item.place);
  });
  return { specs, diagnostics: reader.diagnostics };
}

/** What the reader of YAML says that is as true of JSON. */
const OF_JSON = ['yaml-duplicate-key', 'yaml-too-deep'];

/** The first mistake of a file that is no JSON: those behind it mostly follow from it. Whoever wrote the file knows nothing of YAML. */
function toJsonFinding(
  broken: Diagnostic,
  { name, dialect, importedAt }: { readonly name: string; readonly dialect: HookDialect; readonly importedAt: Place },
): Diagnostic {
  const [mark] = /^This `[[{"]` is never closed/.exec(broken.message) ?? [];
  const what = mark ?? 'A comma, a quote or a bracket is missing or too many here';
  const isMap = broken.code !== 'config-shape';
  return {
    ...broken,
    code: 'hook-invalid',
    message: isMap ? `${name} is not valid JSON. ${what}.` : `${name} holds no object of JSON.`,
    why: 'No hook can be read from a file that is broken, and hooks that are left out prevent nothing.',
    fix: `${isMap ? 'Compare it with the lines around it, and fix it' : 'Write for example {"hooks": {}}'}; or take ${dialect} out of \`hooks.import\`.`,
    related: [{ ...toSpan(importedAt), message: `It is read because \`hooks.import\` names ${dialect} here.` }],
  };
}

class ForeignReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #request: HookImportRequest;

  constructor(request: HookImportRequest) {
    this.#request = request;
  }

  readAll(dialect: HookDialect, place: Place): readonly HookSpec[] {
    const { files, switches } = SETTINGS[dialect];
    const roots = files.flatMap((file) => this.#readFile(file, dialect, place) ?? []);
    if (roots.length === 0 && this.diagnostics.length === 0) {
      this.diagnostics.push(
        toDiagnostic(place, {
          code: 'hook-file-missing',
          severity: 'error',
          message: `There are no settings of ${dialect} in this folder: ${files.join(', ')}.`,
          why: 'The hooks that were to be asked are not known.',
          fix: `Take ${dialect} out of \`hooks.import\`, or put the file there.`,
        }),
      );
    }
    // Of several files the last one that says it counts.
    const isOff = switches.some(([path, off]) => {
      const said = roots.map((root) => readAt(root, path)).findLast((value) => value !== undefined);
      return said?.kind === 'scalar' && said.value === off;
    });
    if (isOff && roots[0] !== undefined)
      this.#warn(roots[0].place, `The hooks of ${dialect} are switched off in its settings: none is asked.`);
    return isOff ? [] : roots.flatMap((root) => this.#readHooks(dialect, root));
  }

  /** @param importedAt where the configuration says that it is to be read */
  #readFile(name: string, dialect: HookDialect, importedAt: Place): LocatedMap | null {
    const { cwd, readText } = this.#request;
    const path = resolve(cwd, name);
    const text = readText(path, MAX_BYTES);
    const isForeign = liesOutside(path, [cwd]);
    const source = { ...createSourceFile(name, cwd, text.ok ? toPlainJson(text.value) : ''), ...(isForeign ? { isForeign } : {}) };
    if (!text.ok) {
      const { kind, message } = text.refused;
      if (kind !== 'missing') this.report({ file: source, start: 0, end: 0 }, `${name} cannot be used: ${message}.`, 'Correct the file.');
      return null;
    }
    const { root, diagnostics } = parseYaml(source);
    const broken = diagnostics.find(({ severity, code }) => severity === 'error' && !OF_JSON.includes(code));
    this.diagnostics.push(...(broken === undefined ? diagnostics : [toJsonFinding(broken, { name, dialect, importedAt })]));
    return root;
  }

  #readHooks(dialect: HookDialect, root: LocatedMap): readonly HookSpec[] {
    const { disabled, notEvents } = SETTINGS[dialect];
    const hooks = root.entries.get('hooks')?.value;
    if (hooks === undefined || isEmptyValue(hooks)) return [];
    if (hooks.kind !== 'map') {
      this.report(hooks.place, '`hooks` is no map of events here.', 'Correct it, as the agent CLI reads it.');
      return [];
    }
    const off = disabled.flatMap((path) => listTexts(readAt(root, path)));
    const events = [...hooks.entries].filter(([name]) => !notEvents.includes(name));
    const unasked = events.filter(([name, { value }]) => findHookEvent(name) === undefined && !isEmptyList(value));
    const [first] = unasked;
    if (first !== undefined) {
      const names = unasked.map(([name]) => quote(name)).join(', ');
      this.#warn(first[1].key, `Imported hooks of ${names} are not asked in this version.`);
    }
    return events.flatMap(([name, { value }]) => {
      const event = findHookEvent(name);
      return event === undefined ? [] : this.#readGroups({ dialect, event, off }, value);
    });
  }

  #readGroups(context: ForeignContext, value: LocatedValue): readonly HookSpec[] {
    if (isEmptyValue(value)) return [];
    if (value.kind !== 'list') {
      this.report(
        value.place,
        'Hooks of an event are a list here.',
        'Write: [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]',
      );
      return [];
    }
    return value.items.flatMap((group) => {
      const hooks = group.kind === 'map' ? group.entries.get('hooks')?.value : undefined;
      if (group.kind !== 'map' || hooks?.kind !== 'list') {
        this.report(
          group.place,
          'This group has no list `hooks`.',
          'Write: {"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}',
        );
        return [];
      }
      const matcher = readScalar(group, 'matcher');
      const pattern = String(matcher?.value ?? '');
      if (matcher !== null && createForeignMatcher(pattern, context.dialect) === null)
        this.report(matcher.place, `${quote(pattern)} is not a valid regular expression.`, 'Correct it.');
      return hooks.items.flatMap((hook) => this.#readHook({ ...context, matcher: pattern }, hook) ?? []);
    });
  }

  #readHook({ dialect, event, off, matcher }: ForeignContext & { readonly matcher: string }, hook: LocatedValue): HookSpec | null {
    const { variable, defaultTimeoutMs, timeoutUnitMs } = SETTINGS[dialect];
    const command = hook.kind === 'map' ? readScalar(hook, 'command') : null;
    const type = hook.kind === 'map' ? (readScalar(hook, 'type')?.written ?? 'command') : '';
    if (hook.kind === 'map' && type !== 'command') {
      this.#warn(hook.place, `An imported hook of type ${quote(type)} is not asked in this version.`);
      return null;
    }
    if (hook.kind !== 'map' || command === null || command.written.trim() === '') {
      this.report(hook.place, 'This hook has no `command`.', 'Write: {"type": "command", "command": "…"}');
      return null;
    }
    const name = readScalar(hook, 'name')?.written ?? toHandlerName(command.written);
    if (off.includes(name) || off.includes(command.written)) return null;
    const rule = readScalar(hook, 'if');
    const isRead = rule !== null && createCallMatcher(rule.written) !== null;
    if (rule !== null && !isRead)
      this.#warn(rule.place, `${quote(rule.written)} cannot be read: the hook is asked about every call that its matcher takes.`);
    const timeout = readScalar(hook, 'timeout')?.value;
    const timeoutMs = typeof timeout === 'number' && timeout > 0 ? Math.round(timeout * timeoutUnitMs) : defaultTimeoutMs;
    const isAsync = readScalar(hook, 'async')?.value === true;
    return {
      name,
      event,
      matcher,
      ...(isRead ? { rule: rule.written } : {}),
      dialect,
      handler: toHandler(command.written, hook.entries.get('args')?.value, { variable, cwd: this.#request.cwd }),
      env: { [variable]: this.#request.cwd },
      timeoutMs: Math.max(1, Math.min(timeoutMs, MAX_TIMEOUT_MS)),
      isFailClosed: this.#request.defaults.isFailClosed && !isAsync,
      ...(isAsync ? { isAsync } : {}),
      place: `${hook.place.file.name}:${toSpan(hook.place).line}`,
    };
  }

  #warn(place: Place, message: string): void {
    this.diagnostics.push(
      toDiagnostic(place, {
        code: 'hook-not-bound',
        severity: 'warning',
        message,
        why: 'What is not asked prevents and reports nothing.',
        fix: 'Bind the agent by hooks of `ralph.yml`, a `profile`, a `sandbox` or `gates` where it matters.',
      }),
    );
  }

  report(place: Place, message: string, fix: string): void {
    const why = 'A hook that is not understood would be left out unseen.';
    this.diagnostics.push(toDiagnostic(place, { code: 'hook-invalid', severity: 'error', message, why, fix }));
  }
}

interface ForeignContext {
  readonly dialect: HookDialect;
  readonly event: HookEventName;
  /** Names and commands that are off. */
  readonly off: readonly string[];
}

/** A line of shell; with `args` a program, in whose words the folder of the project is put in by whoever starts it. */
function toHandler(
  command: string,
  args: LocatedValue | undefined,
  { variable, cwd }: { readonly variable: string; readonly cwd: string },
): HookHandler {
  if (args?.kind !== 'list') return { kind: 'shell', line: command };
  const argv = [command, ...listTexts(args)].map((word) => word.replaceAll(`\${${variable}}`, () => cwd));
  return { kind: 'command', argv, file: null };
}

function readScalar({ entries }: LocatedMap, name: string): LocatedScalar | null {
  const value = entries.get(name)?.value;
  return value?.kind === 'scalar' && value.value !== null ? value : null;
}

function listTexts(value: LocatedValue | undefined): readonly string[] {
  return value?.kind === 'list' ? value.items.flatMap((item) => (item.kind === 'scalar' ? [item.written] : [])) : [];
}

function isEmptyList(value: LocatedValue): boolean {
  return isEmptyValue(value) || (value.kind === 'list' && value.items.length === 0);
}
