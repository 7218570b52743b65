import { findEffortWay } from '../../core/backends/effort-way.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { RalphError } from '../../core/values/errors.ts';
import { type CompiledBackends, findProvider, type PlacedBackend } from '../compile/compile-backends.ts';
import { quote } from '../findings/diagnostics.ts';
import { type Diagnostic, type Path, readAt } from '../findings/located.ts';
import { NATIVE_KEYS } from '../keys/backend-keys.ts';
import { findOverride, isFlag, type OverrideRequest, placeAtVariable } from '../layers/overrides.ts';
import { findingAt, type RuleInput, readWebAddress } from './rule.ts';

/** Every backend can be started, as far as the configuration alone can tell. */
export function checkBackends(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  const all = new Set([...backends.base, ...backends.ralph, ...Object.values(backends.hats).flat()]);
  return [...all].flatMap((backend) => {
    const { declared, path, agent } = backend;
    if (path === null || isBroken(input, path) || (agent !== undefined && input.isBroken([...agent.path, 'model']))) return [];
    const finding = toBackendFinding(declared);
    if (finding !== null) return [findingAt(input, path, finding)];
    const ignored = declared.type === 'native' ? [] : listOwn(input, path);
    if (ignored[0] !== undefined)
      return [
        findingAt(
          input,
          ignored[0],
          toIgnoredFinding(
            ignored.map((place) => String(place.at(-1))),
            declared.type,
          ),
          'key',
        ),
      ];
    const effort = toEffortFinding(declared);
    return effort === null ? [] : [findingAt(input, findEffortPath(input, path), effort)];
  });
}

/** Throws for a wrong backend of the command line: it has no place in a file, so no finding can tell of it. */
export function refuseNamedBackend({ base }: CompiledBackends): void {
  for (const { severity, message, why, fix } of listNamedFindings(base)) {
    if (severity === 'error') throw new RalphError({ code: 'flag-invalid', what: `--backend: ${message}`, why, fix, exitCode: 2 });
  }
}

/** The findings about a backend that a variable named, at the variable. */
export function checkVariableBackend({ base }: CompiledBackends, request: OverrideRequest, cwd: string): readonly Diagnostic[] {
  const found = findOverride('backend', request);
  if (found === null || isFlag(found.from)) return [];
  return listNamedFindings(base).map((finding) => placeAtVariable('backend', String(found.given), cwd, finding));
}

function listNamedFindings(base: CompiledBackends['base']): readonly Finding[] {
  return base
    .filter(({ path }) => path === null)
    .map(({ declared }) => toBackendFinding(declared))
    .filter((finding) => finding !== null);
}

/** Where the effort stands; it may be inherited. */
function findEffortPath(input: RuleInput, path: Path): Path {
  return findOwn(input, path, 'effort') ?? path;
}

/** Where the keys of the native agent stand that are written at this backend itself. */
function listOwn(input: RuleInput, path: Path): readonly Path[] {
  return Object.keys(NATIVE_KEYS).flatMap((name) => {
    const place = findOwn(input, path, name);
    return place === null ? [] : [place];
  });
}

function findOwn(input: RuleInput, path: Path, name: string): Path | null {
  // The first of a list has the place of the list.
  return (
    [path, withoutIndex(path), [...path, 0]].map((place) => [...place, name]).find((place) => readAt(input.root, place) !== undefined) ??
    null
  );
}

function withoutIndex(path: Path): Path {
  return typeof path.at(-1) === 'number' ? path.slice(0, -1) : path;
}

/** True where the backend, or a key that the native agent needs, was wrong and left out: then it is not missing. */
function isBroken(input: RuleInput, path: Path): boolean {
  const alone = withoutIndex(path);
  return input.isBroken(path) || NEEDED.some((key) => input.isBroken([...path, key]) || input.isBroken([...alone, key]));
}

const NEEDED = ['provider', 'model', 'base_url', 'script'] as const;

/** What is wrong with a backend; `null` where nothing is. */
function toBackendFinding(declared: PlacedBackend['declared']): Finding | null {
  const { type, command } = declared;
  if (type === 'native') return toNativeFinding(declared);
  if ((type === 'custom' || type === 'acp') && command === undefined) return toCommandMissing(type);
  return command !== undefined && /\S\s+\S/.test(command) ? toCommandWords(command) : null;
}

function toCommandMissing(type: string): Finding {
  return {
    code: 'backend-command',
    severity: 'error',
    message: `The backend \`${type}\` has no command.`,
    why: 'It can be any program, so it must be said which.',
    fix: `Write for example:\n\nbackend: {type: ${type}, command: ./agent.sh, args: []}\n\nor, for all hats:\n\ncli:\n  backend: ${type}\n  command: ./agent.sh`,
  };
}

function toCommandWords(command: string): Finding {
  const [program = '', ...words] = command.trim().split(/\s+/);
  return {
    code: 'backend-command-words',
    severity: 'warning',
    message: `The command ${quote(command)} is taken as the name of one program.`,
    why: 'No shell splits it into words.',
    fix: `If words were meant: \`command: ${program}\` with \`args: [${words.join(', ')}]\`.`,
  };
}

/** What a native agent lacks; `null` where it lacks nothing. */
function toNativeFinding(declared: PlacedBackend['declared']): Finding | null {
  const provider = findProvider(declared);
  if (provider === undefined) {
    return declared.model === undefined
      ? toFinding('has no model', '{type: native, provider: anthropic, model: claude-sonnet-4-5}')
      : toFinding(
          'does not say whose model it is',
          '{type: native, provider: openai-compatible, model: some-model, base_url: "http://localhost:11434/v1"}',
        );
  }
  if (provider === 'scripted') {
    return declared.script === undefined ? toFinding('has no script', '{type: native, provider: scripted, script: ./script.yml}') : null;
  }
  if (declared.model === undefined) return toFinding('has no model', `{type: native, provider: ${provider}, model: the-model}`);
  if (declared.base_url === undefined) {
    if (provider !== 'openai-compatible') return null;
    return toFinding(
      'has no address',
      '{type: native, provider: openai-compatible, model: some-model, base_url: "http://localhost:11434/v1"}',
    );
  }
  // A variable may stand for it, or for a part of it.
  if (declared.base_url.includes('$') || readWebAddress(declared.base_url) !== null) return null;
  return toFinding(
    'has a `base_url` that is no address',
    '{type: native, provider: openai, model: some-model, base_url: "https://host/v1"}',
  );
}

/** The finding for a native agent with an `effort` that its model does not take; `null` for any other. */
function toEffortFinding(declared: PlacedBackend['declared']): Finding | null {
  const { type, effort, model = '' } = declared;
  const provider = findProvider(declared);
  if (type !== 'native' || effort === undefined || provider === undefined || findEffortWay(provider, model) !== 'none') return null;
  return {
    code: 'effort-ignored',
    severity: 'warning',
    message: `The effort has no effect: ${provider === 'scripted' ? 'a script' : quote(model)} cannot be told how much to think.`,
    why: 'It is sent only to models that take it: the others refuse such requests.',
    fix: 'Leave `effort` out, or take a model that thinks.',
  };
}

/** The finding for keys of the native agent at another backend. */
function toIgnoredFinding(names: readonly string[], type: string): Finding {
  const [are, them] = names.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return {
    code: 'native-key-ignored',
    severity: 'warning',
    message: `${names.map((name) => `\`${name}\``).join(', ')} ${are} no effect: only the native agent takes ${them}.`,
    why: 'An agent CLI has its own settings, and is asked through its own command line.',
    fix: `Say it as ${type} takes it, with \`args\` or in its own settings; or leave it out.`,
  };
}

function toFinding(what: string, example: string): Finding {
  return {
    code: 'native-incomplete',
    severity: 'error',
    message: `The native agent ${what}.`,
    why: 'It is a loop around a model: without one there is nobody who could wear the hat.',
    fix: `Write for example:\n\nbackend: ${example}\n\nor say it under \`cli:\` for all hats.`,
  };
}
