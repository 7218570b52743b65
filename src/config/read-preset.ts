import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../core/index.ts';
import { findPreset, type PresetFile } from './find-preset.ts';
import { parseYamlText } from './parse-yaml-text.ts';

/** What there is to know about a preset before it is used. */
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
  const root = toObject(parseYamlText(text, file.path));
  const terminalEvents = toObject(root['event_loop'])['terminal_events'];
  const description = root['description'];
  return {
    ...file,
    text,
    description: typeof description === 'string' ? description : '',
    hats: Object.keys(toObject(root['hats'])),
    terminalEvents: Array.isArray(terminalEvents) ? terminalEvents.filter((topic) => typeof topic === 'string') : [],
  };
}

function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
