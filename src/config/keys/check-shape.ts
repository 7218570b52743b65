import type { Finding } from '../../core/schema/finding.ts';
import { readOwn } from '../../core/values/json.ts';
import { RESERVED_VARIABLES } from '../environment.ts';
import { quote } from '../findings/diagnostics.ts';
import {
  createBrokenPaths,
  createEmptyMap,
  type Diagnostic,
  isEmptyValue,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Path,
  type Place,
  toDiagnostic,
  toPathKey,
  toShownPlace,
} from '../findings/located.ts';
import type { BackendSetting, Keys, LeafSetting, ListSetting, MapSetting, PublishSetting, Setting } from './setting.ts';
import { acceptsLeaf, createRecord, toLeafValue } from './setting-values.ts';
import { type Declared, TOP_KEYS } from './settings-table.ts';
import { toLaterFinding, toUnknownKeyFinding } from './unknown-key.ts';
import { toChoiceFinding, toMissingFinding, toValueFinding } from './value-finding.ts';

/** A configuration, checked against the settings table. */
export interface CheckedShape {
  readonly declared: Declared;
  readonly diagnostics: readonly Diagnostic[];
  /** True if the value at the path, or a part of it, was wrong and left out. */
  readonly isBroken: (path: Path) => boolean;
  /** The path of an item in the file: its number there is higher where items before it were left out. */
  readonly toItemPath: (list: Path, index: number) => Path;
}

/** How many unknown keys of one map are compared with every known key: a comparison takes its time. */
const MAX_COMPARED_KEYS = 200;

/** Stands for a value that was left out. */
const NOTHING = Symbol('nothing');

/** Checks a configuration against the settings table: every wrong value is a finding, everything else is taken over. */
export function checkShape(root: LocatedMap): CheckedShape {
  const checker = new ShapeChecker();
  const declared = checker.checkKeys(TOP_KEYS, root, [], root.place) as Declared;
  return {
    declared,
    diagnostics: checker.diagnostics,
    toItemPath: (list, index) => [...list, checker.kept.get(toPathKey(list))?.[index] ?? index],
    isBroken: checker.broken.has,
  };
}

interface KeyLevel {
  readonly keys: Keys;
  readonly map: LocatedMap;
  readonly path: Path;
  /** The unknown keys that were found so far. */
  unknown: number;
}

class ShapeChecker {
  readonly diagnostics: Diagnostic[] = [];
  readonly broken = createBrokenPaths();
  /** By list that lost items: the numbers, in the file, of those that are left. */
  readonly kept = new Map<string, readonly number[]>();

  checkKeys(keys: Keys, map: LocatedMap, path: Path, shown: Place): Record<string, unknown> {
    // The names are those of the table, so a plain object will do: a large one without a prototype is slow.
    const values: Record<string, unknown> = {};
    const level: KeyLevel = { keys, map, path, unknown: 0 };
    for (const [name, entry] of map.entries) {
      const setting = readOwn(keys, name);
      const value = setting === undefined ? this.#skipUnknown(name, entry, level) : this.#checkPart(setting, entry, path, name);
      if (value !== NOTHING) values[name] = value;
    }
    this.#checkRequired(keys, map, path, shown);
    return values;
  }

  /** Checks a part of a map or list. A path is put together only where a finding may need it. */
  #checkPart(setting: Setting, entry: LocatedEntry, path: Path, step: string | number): unknown {
    const { value } = entry;
    if (value.kind === 'scalar' && value.value !== null) {
      const taken = takeScalar(setting, value);
      if (taken !== NOTHING) return taken;
    }
    return this.#checkEntry(setting, entry, [...path, step]);
  }

  #skipUnknown(name: string, entry: LocatedEntry, level: KeyLevel): typeof NOTHING {
    if (/^(?:x-|_)/.test(name)) return NOTHING;
    const { keys, map, path } = level;
    level.unknown += 1;
    const objectionTo = (setting: Setting): Diagnostic | undefined => {
      const trial = new ShapeChecker();
      trial.#checkEntry(setting, entry, [name]);
      return trial.diagnostics.find(({ severity, repairs = [] }) => severity === 'error' && !repairs.some(({ isSafe }) => isSafe));
    };
    const fits = (setting: Setting): boolean => objectionTo(setting) === undefined;
    const objection = (setting: Setting): string => objectionTo(setting)?.message ?? '';
    const isOneOfMany = level.unknown > MAX_COMPARED_KEYS;
    const finding = toUnknownKeyFinding({ name, value: entry.value, path: [...path, name], keys, map, fits, objection, isOneOfMany });
    this.diagnostics.push(toDiagnostic(entry.key, finding));
    // The key that was meant is only misspelt: to report it as missing would be a second finding about one mistake.
    for (const { change } of finding.repairs ?? [])
      if (change.kind === 'replace' && !map.entries.has(change.text)) this.broken.add([...path, change.text]);
    return NOTHING;
  }

  #checkRequired(keys: Keys, map: LocatedMap, path: Path, shown: Place): void {
    for (const [name, setting] of listRequired(keys)) {
      const entry = map.entries.get(name);
      const isMisspelt = entry === undefined && this.broken.has([...path, name]);
      if (isMisspelt || (entry !== undefined && !isEmptyValue(entry.value))) continue;
      this.#report({ key: entry?.key ?? shown, value: map }, [...path, name], toMissingFinding(setting, [...path, name]));
    }
  }

  #checkEntry(setting: Setting, entry: LocatedEntry, path: Path): unknown {
    switch (setting.kind) {
      case 'later':
        this.diagnostics.push(toDiagnostic(entry.key, toLaterFinding(path)));
        return NOTHING;
      case 'object':
        return this.#checkMapLike(setting, entry, path, (map) => this.checkKeys(setting.keys, map, path, entry.key));
      case 'map':
        return this.#checkMapLike(setting, entry, path, (map) => this.#checkNames(setting, map, path));
      case 'list':
        return this.#checkList(setting, entry, path);
      case 'backend':
        return this.#checkBackends(setting, entry, path);
      case 'publish':
        return this.#checkPublish(setting, entry, path);
      case 'schema':
      case 'hooks':
        return isEmptyValue(entry.value) ? NOTHING : true;
      default:
        return this.#checkLeaf(setting, entry, path);
    }
  }

  #checkMapLike(setting: Setting, entry: LocatedEntry, path: Path, check: (map: LocatedMap) => unknown): unknown {
    if (entry.value.kind === 'map') return check(entry.value);
    if (isEmptyValue(entry.value)) return check(createEmptyMap(entry.key));
    return this.#report(entry, path, toValueFinding(setting, entry.value, path));
  }

  #checkNames(setting: MapSetting, map: LocatedMap, path: Path): Record<string, unknown> {
    const values = createRecord<unknown>();
    for (const [name, entry] of map.entries) {
      const nameFinding = setting.variables === true ? toVariableNameFinding(name) : null;
      if (nameFinding !== null) this.diagnostics.push(toDiagnostic(entry.key, nameFinding));
      const value = this.#checkPart(setting.values, entry, path, name);
      if (value !== NOTHING) values[name] = value;
    }
    return values;
  }

  #checkList(setting: ListSetting, entry: LocatedEntry, path: Path): unknown {
    if (isEmptyValue(entry.value)) return NOTHING;
    const items = entry.value.kind === 'list' ? entry.value.items : [entry.value];
    if (setting.nonEmpty === true && items.length === 0) return this.#report(entry, path, toValueFinding(setting, entry.value, path));
    const values = items.map((item, index) => this.#checkItem(setting.items, item, path, index));
    if (!values.includes(NOTHING)) return values;
    this.kept.set(
      toPathKey(path),
      [...values.keys()].filter((index) => values[index] !== NOTHING),
    );
    return values.filter((value) => value !== NOTHING);
  }

  #checkItem(setting: Setting, item: LocatedValue, list: Path, index: number): unknown {
    const entry = { key: item.place, value: item };
    if (!isEmptyValue(item)) return this.#checkPart(setting, entry, list, index);
    const path = [...list, index];
    return this.#report(entry, path, toValueFinding(setting, item, path));
  }

  #checkBackends(setting: BackendSetting, entry: LocatedEntry, path: Path): unknown {
    if (isEmptyValue(entry.value)) return NOTHING;
    if (entry.value.kind !== 'list' || setting.isAlone === true) {
      const value = this.#checkBackend(setting, entry, path);
      return value === NOTHING ? NOTHING : [value];
    }
    if (entry.value.items.length === 0) return this.#report(entry, path, toValueFinding(setting, entry.value, path));
    const values = entry.value.items.map((item, index) => this.#checkBackend(setting, { key: item.place, value: item }, [...path, index]));
    return values.includes(NOTHING) ? NOTHING : values;
  }

  #checkBackend(setting: BackendSetting, entry: LocatedEntry, path: Path): unknown {
    const { value } = entry;
    if (value.kind === 'map') return this.checkKeys(setting.keys, value, path, entry.key);
    if (value.kind === 'list' || typeof value.value !== 'string') return this.#report(entry, path, toValueFinding(setting, value, path));
    const type = this.#checkLeaf(setting.name, entry, path);
    return type === NOTHING ? NOTHING : { type };
  }

  #checkPublish(setting: PublishSetting, entry: LocatedEntry, path: Path): unknown {
    if (entry.value.kind === 'map') {
      const value = this.checkKeys(setting.keys, entry.value, path, entry.key);
      return value['topic'] === undefined ? NOTHING : value;
    }
    const topic = this.#checkLeaf(setting.topic, entry, path);
    return topic === NOTHING ? NOTHING : { topic };
  }

  #checkLeaf(setting: LeafSetting, entry: LocatedEntry, path: Path): unknown {
    const { value } = entry;
    if (value.kind !== 'scalar') return this.#report(entry, path, toValueFinding(setting, value, path));
    if (value.value === null) return NOTHING;
    const taken = takeLeaf(setting, value);
    if (taken !== NOTHING) return taken;
    const isOtherWord = setting.kind === 'choice' && typeof value.value === 'string';
    return this.#report(
      entry,
      path,
      isOtherWord ? toChoiceFinding(setting, value.reference ?? value.written, path) : toValueFinding(setting, value, path),
    );
  }

  #report(entry: LocatedEntry, path: Path, finding: Finding): typeof NOTHING {
    this.diagnostics.push(toDiagnostic(toShownPlace(entry), finding));
    this.broken.add(path);
    return NOTHING;
  }
}

/** The checked value of a scalar, where the setting takes a scalar and this one is right. */
function takeScalar(setting: Setting, value: LocatedScalar): unknown {
  switch (setting.kind) {
    case 'object':
    case 'map':
    case 'list':
    case 'backend':
    case 'schema':
    case 'hooks':
    case 'later':
      return NOTHING;
    case 'publish': {
      const topic = takeLeaf(setting.topic, value);
      return topic === NOTHING ? NOTHING : { topic };
    }
    default:
      return takeLeaf(setting, value);
  }
}

function takeLeaf(setting: LeafSetting, { value, written }: LocatedScalar): unknown {
  if (value === null) return NOTHING;
  const isAsWritten = (setting.kind === 'word' || setting.kind === 'variable') && typeof value !== 'string';
  const given = isAsWritten ? written : value;
  return acceptsLeaf(setting, given) ? toLeafValue(setting, given) : NOTHING;
}

const required = new WeakMap<Keys, readonly (readonly [name: string, setting: Setting])[]>();

/** The keys that must be there; listed once, not for every hat. */
function listRequired(keys: Keys): readonly (readonly [name: string, setting: Setting])[] {
  let list = required.get(keys);
  if (list === undefined) {
    list = Object.entries(keys).filter(([, setting]) => setting.required === true);
    required.set(keys, list);
  }
  return list;
}

/** What is wrong with the name of an environment variable; `null` where nothing is. */
function toVariableNameFinding(name: string): Finding | null {
  if (RESERVED_VARIABLES.includes(name)) {
    return {
      code: 'env-reserved',
      severity: 'error',
      message: `The variable \`${name}\` is set by the loop itself.`,
      why: 'Agents find the run, their turn and their events file by it.',
      fix: 'Remove it.',
    };
  }
  if (/^[^=\0]+$/.test(name)) return null;
  return {
    code: 'env-invalid',
    severity: 'error',
    message: `${quote(name)} cannot be the name of an environment variable.`,
    why: 'No process could be started with it.',
    fix: 'Use letters, digits and `_`.',
  };
}
