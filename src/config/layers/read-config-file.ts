import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Environment } from '../../core/values/environment.ts';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';
import { createSourceFile, type Diagnostic, type LocatedMap, toDiagnostic } from '../findings/located.ts';
import { translateForeign } from '../foreign/translate-foreign.ts';
import { CONFIG_FILE_NAMES } from '../keys/settings-table.ts';
import { type ParsedYaml, parseYaml } from '../yaml/parse-yaml.ts';
import { type ReadText, type TextFault, type TextFileKind, toShownPath } from './read-text-file.ts';

export interface ConfigFile {
  /** As it is shown. */
  readonly name: string;
  /** `null` where it could not be read as YAML. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ConfigFileRequest {
  /** Absolute. */
  readonly cwd: string;
  /** As the user named it; relative to `cwd`. */
  readonly named: string;
  /** How it is shown; default: relative to `cwd` where it is inside. */
  readonly shown?: string;
  readonly readText: ReadText;
  /** Default: any; a person named it. */
  readonly kind?: TextFileKind;
}

/** The configuration file of a folder, relative to it; `null` where there is none. Folders above are not searched. */
export function findConfigFile(cwd: string): string | null {
  return CONFIG_FILE_NAMES.find((name) => isThere(join(cwd, name))) ?? null;
}

interface UserConfigFile {
  /** Absolute. */
  readonly path: string;
  /** As it is shown: `~` for the user's home. */
  readonly shown: string;
}

/**
 * `ralph/config.yml` of the folder that `XDG_CONFIG_HOME` names, by default of `.config` in the folder that `HOME` names; `null` where
 * there is none, or neither variable is an absolute path.
 */
export function findUserConfigFile(env: Environment): UserConfigFile | null {
  const { XDG_CONFIG_HOME: xdg = '', HOME: home = '' } = env;
  const folder = isAbsolute(xdg) ? xdg : isAbsolute(home) ? join(home, '.config') : null;
  if (folder === null) return null;
  const path = join(folder, 'ralph', 'config.yml');
  if (!isThere(path)) return null;
  const inside = isAbsolute(home) ? relative(home, path) : '..';
  return { path, shown: inside.startsWith('..') || isAbsolute(inside) ? path : `~/${inside}` };
}

/** True for anything of that name, also for what is no file or cannot be looked at: reading it tells why. Passing over it would silently drop its gates and limits. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return toErrorCode(error) !== 'ENOTDIR';
  }
}

/** Room for a hundred thousand hats; a larger file is the wrong one. */
export const MAX_CONFIG_BYTES = 64_000_000;

/**
 * Reads a file that has to be there.
 *
 * @throws RalphError `config-missing`, `config-unreadable` (exit code 2)
 */
export function readConfigFile(request: ConfigFileRequest): ConfigFile {
  const { cwd, named, readText } = request;
  const path = resolve(cwd, named);
  const name = request.shown ?? toShownPath(cwd, path);
  const file = readText(path, MAX_CONFIG_BYTES, request.kind ?? 'any');
  if (file.ok) return { name, ...toOurWords(parseYaml(createSourceFile(name, dirname(path), file.value))) };
  const { kind } = file.refused;
  if (kind === 'too-large' || kind === 'encoding') return { name, root: null, diagnostics: [toUnusable(name, file.refused)] };
  throw toReadError(name, file.refused);
}

/** Moves keys of other tools to where they belong here. */
function toOurWords({ root, diagnostics }: ParsedYaml): ParsedYaml {
  if (root === null) return { root, diagnostics };
  const translated = translateForeign(root);
  return { root: translated.root, diagnostics: [...diagnostics, ...translated.diagnostics] };
}

function toUnusable(name: string, { kind: fault, message }: TextFault): Diagnostic {
  const place = { file: createSourceFile(name, '', ''), start: 0, end: 0 };
  return toDiagnostic(place, {
    code: `config-${fault}`,
    severity: 'error',
    message: `The file cannot be used: ${message}.`,
    why: 'A configuration is a YAML text of some hundred lines.',
    fix: fault === 'encoding' ? 'Save it as UTF-8.' : 'Look whether this is the right file.',
  });
}

function toReadError(name: string, { kind, message }: TextFault): RalphError {
  const isMissing = kind === 'missing';
  const isAssignment = name.includes('=');
  return new RalphError({
    code: isMissing ? 'config-missing' : 'config-unreadable',
    what: isMissing ? `There is no configuration file ${name}.` : `The configuration file ${name} cannot be used: ${message}.`,
    why: 'A run under other settings than those asked for would be a surprise.',
    fix: isAssignment
      ? 'Correct the path; or, if a setting was meant, write its key with dots before the `=`: -c event_loop.max_iterations=20'
      : 'Correct the path, or leave the option out to use `ralph.yml` of this folder, or the defaults. `ralph init` writes a file to begin with.',
    exitCode: 2,
  });
}
