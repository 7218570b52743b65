import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findNearMiss, RalphError } from '../core/index.ts';
import { findPackageFolder } from './package-folder.ts';
import { quote } from './value-finding.ts';

/** A team that comes with this package. */
export interface PresetFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

const EXTENSION = '.yml';

/** Every preset of the package, by name; empty where the folder is not there. */
export function listPresets(): readonly PresetFile[] {
  const folder = join(findPackageFolder(), 'presets');
  return readNames(folder)
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
    what: `There is no preset ${quote(name)}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    fix: `Take one of: ${names.join(', ') || 'none is installed'}.`,
    exitCode: 2,
  });
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
