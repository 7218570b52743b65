import { resolve } from 'node:path';
import type { Json } from '../core/index.ts';
import { toShownPath } from './compile-objective.ts';
import type { EffectiveValue, Origin } from './effective-value.ts';
import { isEmptyValue, type LocatedEntry, type LocatedMap, type LocatedValue, type Path, toShownPlace } from './located-value.ts';
import { isPseudoFile } from './pseudo-file.ts';
import type { Keys, Setting } from './setting.ts';
import { TOP_KEYS } from './settings-table.ts';
import { toSpan } from './source-file.ts';
import { escapeReferences, toHiddenValue, toWrittenValue, type WrittenForm } from './written-value.ts';

/**
 * Every setting of a merged configuration that is in force, in the order of the settings table, with the defaults. What came from a
 * variable is shown as the reference; other values of variables of agents are hidden. Files of instructions are named relative to the folder of the run.
 *
 * @param cwd absolute
 */
export function listEffective(root: LocatedMap, cwd: string): readonly EffectiveValue[] {
  const lister = new EffectiveLister(cwd);
  lister.addKeys(TOP_KEYS, root, []);
  return lister.values;
}

/** Keys whose files are relative to the file that names them. */
const FILES: readonly unknown[] = ['instructions_file', 'schema_file'];

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
      else if (setting.default !== undefined) this.push([...path, name], setting.default as Json, { from: 'default' });
    }
  }

  private add(setting: Setting, entry: LocatedEntry, path: Path): void {
    const { value } = entry;
    if (setting.kind === 'object' && value.kind === 'map') this.addKeys(setting.keys, value, path);
    else if (setting.kind === 'map' && value.kind === 'map' && value.entries.size > 0) this.addNames(setting, value, path);
    else if (setting.kind === 'list' && setting.items.kind === 'object' && hasItems(value))
      this.addItems(setting.items, value.kind === 'list' ? value.items : [value], path);
    else this.push(path, this.toValue(setting, value, path, 'shown'), toOrigin(entry), this.toValue(setting, value, path, 'file'));
  }

  private addNames(setting: Setting & { readonly kind: 'map' }, map: LocatedMap, path: Path): void {
    for (const [name, entry] of map.entries) {
      if (setting.variables === true) this.push([...path, name], toHiddenValue(entry.value), toOrigin(entry));
      else if (isEmptyValue(entry.value) && setting.values.kind === 'object') this.addKeys(setting.values.keys, null, [...path, name]);
      else this.add(setting.values, entry, [...path, name]);
    }
  }

  private addItems(setting: Setting, items: readonly LocatedValue[], path: Path): void {
    for (const [index, item] of items.entries()) this.add(setting, { key: item.place, value: item }, [...path, index]);
  }

  private push(path: Path, value: Json, origin: Origin, written = value): void {
    this.values.push({ path, value, written, origin });
  }

  private toValue(setting: Setting, value: LocatedValue, path: Path, form: WrittenForm): Json {
    const isFile = FILES.includes(path.at(-1)) && value.kind === 'scalar' && typeof value.value === 'string';
    // A reference counts from where it stands: from another folder only what it leads to says the same.
    if (!isFile || (value.reference !== undefined && value.place.file.folder === this.cwd)) return toWrittenValue(setting, value, form);
    const shown = toShownPath(this.cwd, resolve(value.place.file.folder, String(value.value)));
    return form === 'file' ? escapeReferences(shown) : shown;
  }
}

/** A single value stands for a list of one. */
function hasItems(value: LocatedValue): boolean {
  return value.kind !== 'list' || value.items.length > 0;
}

function toOrigin(entry: LocatedEntry): Origin {
  const place = toShownPlace(entry);
  if (isPseudoFile(place.file)) return { from: place.file.origin, name: place.file.name };
  const { file, line, column, endLine, endColumn } = toSpan(place);
  return { from: 'file', span: { file, line, column, endLine, endColumn } };
}
