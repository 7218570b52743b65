import { dirname, resolve } from 'node:path';
import { RalphError } from '../../core/index.ts';
import type { LocatedMap } from '../findings/located.ts';
import { createSourceFile, type Diagnostic, toDiagnostic } from '../findings/located.ts';
import { translateForeign } from '../foreign/translate-foreign.ts';
import { type ParsedYaml, parseYaml } from '../yaml/parse-yaml.ts';
import { type FileKind, type ReadText, type TextFault, toShownPath } from './read-text-file.ts';

/** A YAML file of a configuration, read. */
export interface ConfigFile {
  /** As it is shown. */
  readonly name: string;
  /** `null` where it could not be read as YAML. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Which file to read, and how. */
export interface ConfigFileRequest {
  /** Absolute. */
  readonly cwd: string;
  /** As the user named it; relative to `cwd`. */
  readonly named: string;
  /** How it is shown; default: relative to `cwd` where it is inside. */
  readonly shown?: string;
  readonly readText: ReadText;
  /** Default: any; a person named it. */
  readonly kind?: FileKind;
}

/** A hundred thousand hats, with room: what is larger is the wrong file. */
const MAX_BYTES = 64_000_000;

/**
 * Reads a file that has to be there.
 *
 * @throws RalphError `config-missing`, `config-unreadable` (exit code 2)
 */
export function readConfigFile(request: ConfigFileRequest): ConfigFile {
  const { cwd, named, readText } = request;
  const path = resolve(cwd, named);
  const name = request.shown ?? toShownPath(cwd, path);
  const file = readText(path, MAX_BYTES, request.kind ?? 'any');
  if ('text' in file) return { name, ...toOurWords(parseYaml(createSourceFile(name, dirname(path), file.text))) };
  if (file.fault === 'too-large' || file.fault === 'encoding')
    return { name, root: null, diagnostics: [toUnusable(name, file.fault, file.message)] };
  throw toReadError(name, file.fault, file.message);
}

/** Keys of other tools stand where they belong here. */
function toOurWords({ root, diagnostics }: ParsedYaml): ParsedYaml {
  if (root === null) return { root, diagnostics };
  const translated = translateForeign(root);
  return { root: translated.root, diagnostics: [...diagnostics, ...translated.diagnostics] };
}

function toUnusable(name: string, fault: TextFault, message: string): Diagnostic {
  const place = { file: createSourceFile(name, '', ''), start: 0, end: 0 };
  return toDiagnostic(place, {
    code: `config-${fault}`,
    severity: 'error',
    message: `The file cannot be used: ${message}.`,
    why: 'A configuration is a YAML text of some hundred lines.',
    fix: fault === 'encoding' ? 'Save it as UTF-8.' : 'Look whether this is the right file.',
  });
}

function toReadError(name: string, fault: TextFault, message: string): RalphError {
  const isMissing = fault === 'missing';
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
