import type { Json } from '../../core/values/json.ts';
import type { PlacedBackend } from '../compile/compile-backends.ts';
import { type Path, toKeyPathText } from '../findings/located.ts';
import { AGENT_KEYS } from '../keys/backend-keys.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import { CLI_KEYS, TOP_KEYS } from '../keys/settings-table.ts';
import { findOverride, isFlag, OVERRIDE_PATHS, type OverrideRequest } from '../layers/overrides.ts';
import type { Overrides } from '../settings.ts';
import { type EffectiveValue, escapeReferences, HIDDEN, type Origin } from './list-effective.ts';

/** What flags, and variables with a name of their own, change in the settings of the files. */
export interface OverrideChanges extends OverrideRequest {
  readonly overrides: Overrides;
  /** The backends of `cli`, with flags and variables in place. */
  readonly base: readonly PlacedBackend[];
  /** What came by standard input, for `-P -`. */
  readonly stdinPrompt: string | undefined;
}

/** Replaces the settings that a flag or a variable wins over. */
export function overrideEffective(values: readonly EffectiveValue[], changes: OverrideChanges): readonly EffectiveValue[] {
  let list = values;
  for (const name of ['maxIterations', 'maxCostUsd', 'maxRuntime'] as const) {
    const value = changes.overrides[name];
    if (value !== undefined) list = put(list, OVERRIDE_PATHS[name], value, toOrigin(name, changes));
  }
  return choosePrompt(overrideAgent(list, changes), changes);
}

/**
 * The agent of the command line: `--model` alone is the model of `cli`, where the first backend has none of its own. Otherwise `cli.backend` is written
 * out with all that the agent inherits, because what `cli` says of another one does not count for it.
 */
function overrideAgent(values: readonly EffectiveValue[], changes: OverrideChanges): readonly EffectiveValue[] {
  const { backend, model } = changes.overrides;
  if (backend === undefined && model === undefined) return values;
  const written = values.find((entry) => isAt(entry, OVERRIDE_PATHS.backend))?.value;
  if (backend === undefined && model !== undefined && (written === undefined || typeof written === 'string'))
    return put(values, OVERRIDE_PATHS.model, model, toOrigin('model', changes));
  const [only, ...others] = changes.base;
  if (only !== undefined && others.length === 0) return describeAgent(values, only, changes);
  const described = changes.base.map(({ declared }) => withoutEmptyEnv(declared) as Readonly<Record<string, Json>>);
  const kept = values.filter(({ path: [top, name] }) => top !== 'cli' || !SHARED.includes(String(name)));
  return put(
    kept,
    OVERRIDE_PATHS.backend,
    described.map((agent) => hideVariables(agent, values)),
    toOrigin(backend === undefined ? 'model' : 'backend', changes),
    described.map((agent) => ({ ...(escapeReferences(agent) as object), ...pickEnv(hideVariables(agent, values)) })) as Json,
  );
}

/** One agent: all that it inherits stands under `cli:`. */
function describeAgent(
  values: readonly EffectiveValue[],
  { declared }: PlacedBackend,
  changes: OverrideChanges,
): readonly EffectiveValue[] {
  const { backend, model } = changes.overrides;
  const origins = new Map(values.filter(({ path: [top] }) => top === 'cli').map(({ path: [, name], origin }) => [name, origin]));
  const byDefault = origins.get('backend') ?? { from: 'default' };
  const written = values.find((entry) => isAt(entry, OVERRIDE_PATHS.backend))?.value;
  // The agent then inherits exactly what stands under `cli:`, where references to variables are still known.
  const isSimple = written === undefined || typeof written === 'string';
  let list: readonly EffectiveValue[] = values.filter(({ path: [top, name] }) => top !== 'cli' || !SHARED.includes(String(name)));
  for (const [key, value] of Object.entries(withoutEmptyEnv(declared))) {
    const name = key === 'type' ? 'backend' : key;
    const isOverridden = name === 'backend' ? backend !== undefined : name === 'model' && model !== undefined;
    const origin = isOverridden ? toOrigin(name === 'backend' ? 'backend' : 'model', changes) : (origins.get(name) ?? byDefault);
    const known = isOverridden || !isSimple ? [] : values.filter((entry) => entry.path[0] === 'cli' && entry.path[1] === name);
    if (name === 'env')
      for (const variable of Object.keys(value as object)) {
        const text = toShownVariable(variable, values);
        list = put(list, ['cli', name, variable], text, origin, text);
      }
    else list = put(list, ['cli', name], known[0]?.value ?? (value as Json), origin, known[0]?.written);
  }
  return list;
}

function hideVariables(described: Readonly<Record<string, Json>>, values: readonly EffectiveValue[]): Json {
  const { env, ...rest } = described;
  if (env === undefined) return rest;
  return { ...rest, env: Object.fromEntries(Object.keys(env as object).map((name) => [name, toShownVariable(name, values)])) };
}

function pickEnv(agent: Json): object {
  const { env } = agent as Readonly<Record<string, Json>>;
  return env === undefined ? {} : { env };
}

/** A variable of an agent: the reference that stands under `cli.env`, where no backend of the list says something else; else hidden. */
function toShownVariable(name: string, values: readonly EffectiveValue[]): Json {
  const written = values.find((entry) => isAt(entry, OVERRIDE_PATHS.backend))?.value;
  if (JSON.stringify(written ?? null).includes('"env":')) return HIDDEN;
  return values.find(({ path }) => path[0] === 'cli' && path[1] === 'env' && path[2] === name)?.value ?? HIDDEN;
}

/** Keys of a backend under `cli:`, but for `permissions`, which has a default there. */
const SHARED = ['backend', ...Object.keys(AGENT_KEYS).filter((name) => name !== 'permissions')];

function withoutEmptyEnv({ env, ...declared }: PlacedBackend['declared']): object {
  return env === undefined || Object.keys(env).length === 0 ? declared : { ...declared, env };
}

/** Keeps `prompt` or `prompt_file`, whichever counts. */
function choosePrompt(values: readonly EffectiveValue[], { flags, stdinPrompt }: OverrideChanges): readonly EffectiveValue[] {
  const [prompt, file]: readonly Path[] = [
    ['event_loop', 'prompt'],
    ['event_loop', 'prompt_file'],
  ];
  if (prompt === undefined || file === undefined) return values;
  const withoutBoth = values.filter((entry) => !isAt(entry, prompt) && !isAt(entry, file));
  if (flags.prompt !== undefined) return put(withoutBoth, prompt, flags.prompt, { from: 'flag', name: '-p' }, flags.prompt);
  if (flags.promptFile === '-') return put(withoutBoth, prompt, stdinPrompt ?? '', { from: 'flag', name: '-P -' }, stdinPrompt ?? '');
  if (flags.promptFile !== undefined) return put(withoutBoth, file, flags.promptFile, { from: 'flag', name: '-P' });
  const written = values.find((entry) => isAt(entry, prompt))?.value;
  const isSaid = typeof written === 'string' && written.trim() !== '';
  return isSaid ? values.filter((entry) => !isAt(entry, file)) : values;
}

function toOrigin(name: keyof Overrides, request: OverrideRequest): Origin {
  const from = findOverride(name, request)?.from ?? '';
  return { from: isFlag(from) ? 'flag' : 'variable', name: from };
}

/** @param written as a file says it; default: no `$` in it begins a reference */
function put(
  values: readonly EffectiveValue[],
  path: Path,
  value: Json,
  origin: Origin,
  written: Json = escapeReferences(value),
): readonly EffectiveValue[] {
  const next = { path, value, written, origin };
  const index = values.findIndex((entry) => isAt(entry, path));
  if (index >= 0) return values.map((entry, at) => (at === index ? next : entry));
  const after = values.findIndex((entry) => rankOf(entry.path) > rankOf(path));
  return values.toSpliced(after < 0 ? values.length : after, 0, next);
}

const TOP_NAMES = Object.keys(TOP_KEYS);
const SECTION_NAMES = { cli: Object.keys(CLI_KEYS), event_loop: Object.keys(EVENT_LOOP_KEYS) };

/** Where a setting stands in the order of the settings table. */
function rankOf([top = '', name = '']: Path): number {
  const names: readonly string[] = top === 'cli' || top === 'event_loop' ? SECTION_NAMES[top] : [];
  return TOP_NAMES.indexOf(String(top)) * 1000 + names.indexOf(String(name));
}

function isAt(entry: EffectiveValue, path: Path): boolean {
  return toKeyPathText(entry.path) === toKeyPathText(path);
}
