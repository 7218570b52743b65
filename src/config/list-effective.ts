import { resolve } from 'node:path';
import type { Json } from '../core/index.ts';
import { toShownPath } from './compile-objective.ts';
import type { EffectiveValue, Origin } from './effective-value.ts';
import { isEmptyValue, type LocatedEntry, type LocatedMap, type LocatedValue, type Path, toShownPlace } from './located-value.ts';
import { isPseudoFile } from './pseudo-file.ts';
import type { Keys, Setting } from './setting.ts';
import { TOP_KEYS } from './settings-table.ts';
import { toSpan } from './source-file.ts';
import { toWrittenValue } from './written-value.ts';

/** What stands in the place of a secret. */
const HIDDEN = '***';
const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/**
 * Every setting of a merged configuration that is in force, in the order of the settings table, with the defaults. Values of variables that look like
 * secrets are hidden. Files of instructions are named relative to the folder of the run.
 *
 * @param cwd absolute
 */
export function listEffective(root: LocatedMap, cwd: string): readonly EffectiveValue[] {
  const lister = new EffectiveLister(cwd);
  lister.addKeys(TOP_KEYS, root, []);
  return lister.values;
}

class EffectiveLister {
  readonly values: EffectiveValue[] = [];
  private readonly cwd: string;

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  addKeys(keys: Keys, map: LocatedMap | null, path: Path): void {
    for (const [name, setting] of Object.entries(keys)) {
      const entry = map?.entries.get(name);
      if (setting.kind === 'later') continue;
      if (entry !== undefined && !isEmptyValue(entry.value)) this.add(setting, entry, [...path, name]);
      else if (setting.kind === 'object' && path.length < 2) this.addKeys(setting.keys, null, [...path, name]);
      else if (setting.default !== undefined) this.push(setting, [...path, name], setting.default as Json, { from: 'default' });
    }
  }

  private add(setting: Setting, entry: LocatedEntry, path: Path): void {
    const { value } = entry;
    if (setting.kind === 'object' && value.kind === 'map') this.addKeys(setting.keys, value, path);
    else if (setting.kind === 'map' && value.kind === 'map' && value.entries.size > 0) this.addNames(setting, value, path);
    else if (setting.kind === 'list' && setting.items.kind === 'object' && hasItems(value))
      this.addItems(setting.items, value.kind === 'list' ? value.items : [value], path);
    else this.push(setting, path, this.toValue(setting, value, path), toOrigin(entry));
  }

  private addNames(setting: Setting & { readonly kind: 'map' }, map: LocatedMap, path: Path): void {
    for (const [name, entry] of map.entries) {
      const isSecret = setting.variables === true && SECRET_NAME.test(name);
      if (isSecret) this.push(setting.values, [...path, name], HIDDEN, toOrigin(entry));
      else if (isEmptyValue(entry.value) && setting.values.kind === 'object') this.addKeys(setting.values.keys, null, [...path, name]);
      else this.add(setting.values, entry, [...path, name]);
    }
  }

  private addItems(setting: Setting, items: readonly LocatedValue[], path: Path): void {
    for (const [index, item] of items.entries()) this.add(setting, { key: item.place, value: item }, [...path, index]);
  }

  private push(setting: Setting, path: Path, value: Json, origin: Origin): void {
    const inner = setting.kind === 'list' ? setting.items : setting;
    this.values.push({ path, value, origin, isVerbatim: inner.verbatim === true || inner.kind === 'command' });
  }

  private toValue(setting: Setting, value: LocatedValue, path: Path): Json {
    const written = toWrittenValue(setting, value);
    if (path.at(-1) === 'instructions_file' && typeof written === 'string')
      return toShownPath(this.cwd, resolve(value.place.file.folder, written));
    return setting.kind === 'backend' ? hideSecrets(written) : written;
  }
}

/** A single value stands for a list of one. */
function hasItems(value: LocatedValue): boolean {
  return value.kind !== 'list' || value.items.length > 0;
}

/** Descriptions of backends, secrets in their `env:` hidden. */
export function hideSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'env' && part !== null && typeof part === 'object' ? hideNames(part) : part,
    ]),
  );
}

/** The same map, values of names that look like secrets hidden. */
export function hideNames(env: Json): Json {
  return Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, SECRET_NAME.test(name) ? HIDDEN : value]));
}

/** An assignment as it was typed, but for a secret in it. */
function toShownName(name: string): string {
  return SECRET_NAME.test(name) && /\benv\b/.test(name) ? name.replace(/=.*/s, `=${HIDDEN}`) : name;
}

function toOrigin(entry: LocatedEntry): Origin {
  const place = toShownPlace(entry);
  if (isPseudoFile(place.file)) return { from: place.file.origin, name: toShownName(place.file.name) };
  const { file, line, column, endLine, endColumn } = toSpan(place);
  return { from: 'file', span: { file, line, column, endLine, endColumn } };
}
