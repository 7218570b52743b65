import type { Finding } from '../../core/index.ts';
import type { CompiledBackends, PlacedBackend } from '../compile-backends.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { type Path, readAt } from '../located-value.ts';
import { NATIVE_KEYS } from '../native-keys.ts';
import { quote } from '../value-finding.ts';
import { toEffortFinding, toIgnoredFinding, toNativeFinding } from './check-native.ts';
import { findingAt, type RuleInput } from './rule.ts';

/** Every backend can be started, as far as the configuration alone can tell. */
export function checkBackends(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  const all = new Set([...backends.base, ...backends.ralph, ...Object.values(backends.hats).flat()]);
  return [...all].flatMap((backend) => {
    const { declared, path } = backend;
    if (path === null || isBroken(input, path)) return [];
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
  // The first of a list is placed at the list.
  return (
    [path, withoutIndex(path), [...path, 0]].map((place) => [...place, name]).find((place) => readAt(input.root, place) !== undefined) ??
    null
  );
}

function withoutIndex(path: Path): Path {
  return typeof path.at(-1) === 'number' ? path.slice(0, -1) : path;
}

/** Whether something is wrong at the backend, or at what the native agent needs: a value that was left out for it is not missing. */
function isBroken(input: RuleInput, path: Path): boolean {
  const alone = withoutIndex(path);
  return input.isBroken(path) || NEEDED.some((key) => input.isBroken([...path, key]) || input.isBroken([...alone, key]));
}

const NEEDED = ['provider', 'model', 'base_url', 'script'] as const;

/** What is wrong with a backend; `null` where nothing does. */
export function toBackendFinding(declared: PlacedBackend['declared']): Finding | null {
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
