import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { RalphError } from '../../core/values/errors.ts';
import { toJsonObject } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import { parseYamlText } from '../yaml/parse-yaml.ts';

/** The folder of this package, whether it runs from `dist/` or from `src/`. */
export function findPackageFolder(): string {
  packageFolder ??= lookForPackage();
  return packageFolder;
}

let packageFolder: string | undefined;

function lookForPackage(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (isPackageFolder(folder)) return folder;
    if (dirname(folder) === folder) return process.cwd();
  }
}

function isPackageFolder(folder: string): boolean {
  return tryOr(() => (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name === 'ralph-hats', false);
}

/** The absolute path of a page of the guide, such as `gates`: the docs are part of the package, not of the user's project. */
export function findGuidePage(page: string): string {
  return join(findPackageFolder(), 'docs', 'guide', `${page}.md`);
}

interface PresetFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

const EXTENSION = '.yml';

/** Every preset of the package, by name; empty where the folder is not there. */
export function listPresets(): readonly PresetFile[] {
  const folder = join(findPackageFolder(), 'presets');
  return tryOr(() => readdirSync(folder), [])
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => ({ name: name.slice(0, -EXTENSION.length), path: join(folder, name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The preset of a name.
 *
 * @throws RalphError `preset-unknown` (exit code 2), which names the nearest
 */
export function findPreset(name: string): PresetFile {
  const presets = listPresets();
  const preset = presets.find((candidate) => candidate.name === name);
  if (preset !== undefined) return preset;
  const names = presets.map((candidate) => candidate.name);
  const near = findNearMiss(name, names);
  throw new RalphError({
    code: 'preset-unknown',
    what: `There is no preset ${quote(name)}${endWithMeant(near)}`,
    fix: `Take one of: ${names.join(', ') || 'none is installed'}.`,
    exitCode: 2,
  });
}

/** A preset and what it says of itself. */
export interface Preset extends PresetFile {
  /** What it does and when to use it. */
  readonly description: string;
  /** Ids, in the order of the file. */
  readonly hats: readonly string[];
  readonly terminalEvents: readonly string[];
  /** The file as it is, comments and all. */
  readonly text: string;
}

/**
 * Reads a preset of this package.
 *
 * @throws RalphError `preset-unknown` (exit code 2), which names the nearest
 */
export function readPreset(name: string): Preset {
  const file = findPreset(name);
  const text = readFileSync(file.path, 'utf8');
  const root = toJsonObject(parseYamlText(text, file.path));
  const terminalEvents = toJsonObject(root['event_loop'])['terminal_events'];
  const description = root['description'];
  return {
    ...file,
    text,
    description: typeof description === 'string' ? description : '',
    hats: Object.keys(toJsonObject(root['hats'])),
    terminalEvents: Array.isArray(terminalEvents) ? terminalEvents.filter((topic) => typeof topic === 'string') : [],
  };
}
