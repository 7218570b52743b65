import type { Environment } from '../../core/values/environment.ts';
import { readOwn } from '../../core/values/json.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { RESERVED_VARIABLES } from '../environment.ts';
import { quote } from '../findings/diagnostics.ts';
import {
  createBrokenPaths,
  type Diagnostic,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Path,
  type Place,
  toDiagnostic,
} from '../findings/located.ts';
import type { Keys, LeafSetting, Setting } from '../keys/setting.ts';
import { TOP_KEYS } from '../keys/settings-table.ts';

/** A configuration in which references to variables were replaced. */
export interface ExpandedVariables {
  readonly root: LocatedMap;
  readonly diagnostics: readonly Diagnostic[];
  /** What the variables say that were named. */
  readonly variables: Readonly<Record<string, string>>;
  /** True if a value at the path, or below it, was left out because of a variable. */
  readonly isBroken: (path: Path) => boolean;
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text that a setting holds, except those that are `verbatim` (prompts, instructions) and command
 * lines, where `$` is the shell's. What is replaced keeps its place. A value whose variable is not set is a finding, and left out.
 */
export function expandVariables(root: LocatedMap, env: Environment): ExpandedVariables {
  const expander = new VariableExpander(env);
  const expanded = expander.expandKeys(TOP_KEYS, root, []);
  return {
    root: expanded,
    diagnostics: expander.diagnostics,
    variables: Object.fromEntries(expander.variables),
    isBroken: expander.broken.has,
  };
}

/** The text of a single value; findings where a variable of it is not set. */
export function expandText(scalar: LocatedScalar, text: string, env: Environment): Result<string, readonly Diagnostic[]> {
  const { text: replaced, faults } = substituteVariables(text, (name) => readVariable(env, name));
  return faults.length === 0 ? accept(replaced) : refuse(toFaultFindings(scalar.place, text, faults));
}

class VariableExpander {
  readonly diagnostics: Diagnostic[] = [];
  readonly broken = createBrokenPaths();
  readonly variables = new Map<string, string>();
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  expandKeys(keys: Keys, map: LocatedMap, path: Path): LocatedMap {
    return this.#expandEntries(map, (name, entry) => {
      const setting = readOwn(keys, name);
      return setting === undefined ? entry.value : this.#expand(setting, entry.value, [...path, name]);
    });
  }

  /** The same map where nothing in it changed. `null` for an entry that is left out. */
  #expandEntries(map: LocatedMap, expand: (name: string, entry: LocatedEntry) => LocatedValue | null): LocatedMap {
    let entries: Map<string, LocatedEntry> | null = null;
    for (const [name, entry] of map.entries) {
      const value = expand(name, entry);
      if (value === entry.value) continue;
      entries ??= new Map(map.entries);
      if (value === null) entries.delete(name);
      else entries.set(name, { key: entry.key, value });
    }
    return entries === null ? map : { ...map, entries };
  }

  #expand(setting: Setting, value: LocatedValue, path: Path): LocatedValue | null {
    if (setting.verbatim === true) return value;
    switch (setting.kind) {
      case 'schema':
      case 'hooks':
      case 'later':
      case 'command':
        return value;
      case 'object':
        return value.kind === 'map' ? this.expandKeys(setting.keys, value, path) : value;
      case 'map':
        return value.kind === 'map'
          ? this.#expandEntries(value, (name, entry) => this.#expand(setting.values, entry.value, [...path, name]))
          : value;
      case 'list':
        return this.#expandItems(value, path, (item, at) => this.#expand(setting.items, item, at));
      case 'backend':
        return this.#expandItems(value, path, (item, at) =>
          item.kind === 'map' ? this.expandKeys(setting.keys, item, at) : this.#expandLeaf(setting.name, item, at),
        );
      case 'publish':
        return value.kind === 'map' ? this.expandKeys(setting.keys, value, path) : this.#expandLeaf(setting.topic, value, path);
      default:
        return this.#expandLeaf(setting, value, path);
    }
  }

  #expandItems(value: LocatedValue, path: Path, expand: (item: LocatedValue, at: Path) => LocatedValue | null): LocatedValue | null {
    if (value.kind !== 'list') return expand(value, path);
    const items = value.items.map((item, index) => expand(item, [...path, index]));
    if (items.every((item, index) => item === value.items[index])) return value;
    return { ...value, items: items.filter((item) => item !== null) };
  }

  #read(name: string): string | undefined {
    const value = readVariable(this.#env, name);
    if (value !== undefined) this.variables.set(name, value);
    return value;
  }

  #expandLeaf(setting: LeafSetting, value: LocatedValue, path: Path): LocatedValue | null {
    if (value.kind !== 'scalar' || typeof value.value !== 'string' || !value.value.includes('$')) return value;
    const { text, isWhole, hasReference, faults } = substituteVariables(value.value, (name) => this.#read(name));
    if (faults.length > 0) {
      this.diagnostics.push(...toFaultFindings(value.place, value.value, faults));
      this.broken.add(path);
      return null;
    }
    if (text === value.value) return value;
    const reference = hasReference ? { reference: value.value } : {};
    return { ...value, value: isWhole ? toPlainValue(setting, text) : text, written: text, ...reference };
  }
}

const NUMBERS: readonly Setting['kind'][] = ['integer', 'number', 'duration', 'money'];

/** What a reference alone stands for: nothing leaves the setting at its default, `true` is not the word. */
function toPlainValue(setting: LeafSetting, text: string): LocatedScalar['value'] {
  if (text === '') return setting.kind === 'text' || setting.kind === 'variable' ? '' : null;
  if (NUMBERS.includes(setting.kind) && /^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (setting.kind !== 'flag') return text;
  return /^(true|True|TRUE)$/.test(text) ? true : /^(false|False|FALSE)$/.test(text) ? false : text;
}

function readVariable(env: Environment, name: string): string | undefined {
  return RESERVED_VARIABLES.includes(name) ? undefined : readOwn(env, name);
}

/** Of a value with more faults than anybody reads the first ones. */
const MAX_FAULTS = 20;

function toFaultFindings(place: Place, text: string, faults: readonly SubstitutionFault[]): readonly Diagnostic[] {
  const source = place.file.text.slice(place.start, place.end);
  const begin = source.indexOf(text);
  return faults
    .slice(0, MAX_FAULTS)
    .map((fault) => toFaultFinding(place, fault, begin < 0 ? source.indexOf(fault.reference) : begin + fault.offset));
}

function toFaultFinding(place: Place, { reference, kind, name }: SubstitutionFault, at: number): Diagnostic {
  const start = place.start + at;
  const shown = at < 0 ? place : { file: place.file, start, end: start + reference.length };
  return kind === 'unset' ? toDiagnostic(shown, toUnsetFinding(name)) : toDiagnostic(shown, toMalformedFinding(reference));
}

function toUnsetFinding(name: string) {
  if (RESERVED_VARIABLES.includes(name)) {
    return {
      code: 'variable-reserved',
      severity: 'error',
      message: `The variable \`${name}\` is what the loop tells its agents.`,
      why: 'A configuration that reads it would mean something else inside of a turn.',
      fix: 'Use a variable of another name.',
    } as const;
  }
  return {
    code: 'variable-unset',
    severity: 'error',
    message: `The variable \`${name}\` is not set.`,
    why: 'Without it the value cannot be known, and is never guessed.',
    fix: `Set it, such as \`export ${name}=…\`, or give a default: \`\${${name}:-default}\`. For the characters themselves write \`$\${${name}}\`.`,
  } as const;
}

function toMalformedFinding(reference: string) {
  return {
    code: 'variable-invalid',
    severity: 'error',
    message: `${quote(reference)} is no reference to a variable.`,
    why: 'It could not be replaced by anything.',
    fix: 'It begins with `$`, then in braces a name, or a name, `:-` and a default without another reference in it. `$$` is a plain `$`.',
  } as const;
}

/** A text in which `${NAME}` and `${NAME:-default}` were replaced. */
interface Substituted {
  readonly text: string;
  /** True for a text that was nothing but one reference. */
  readonly isWhole: boolean;
  /** True where a variable was named: false for a text in which only `$$` was replaced. */
  readonly hasReference: boolean;
  /** References that could not be replaced, as they are written. */
  readonly faults: readonly SubstitutionFault[];
}

/** Why a reference could not be replaced. */
interface SubstitutionFault {
  readonly reference: string;
  /** Where it begins in the text. */
  readonly offset: number;
  readonly kind: 'unset' | 'malformed';
  /** The name of the variable; empty where it is malformed. */
  readonly name: string;
}

const REFERENCE = /\$\$|\$\{[^}]*\}?/g;
const PARTS = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?\}$/;

/**
 * Replaces `${NAME}`, and `${NAME:-default}` where the variable is not set or empty; `$$` is one `$`. Any other `$` stays. References do not nest.
 *
 * @param read the value of a variable; `undefined` for one that is not set
 */
export function substituteVariables(text: string, read: (name: string) => string | undefined): Substituted {
  const faults: SubstitutionFault[] = [];
  let hasReference = false;
  const replaced = text.replace(REFERENCE, (reference, offset: number) => {
    if (reference === '$$') return '$';
    hasReference = true;
    const [, name = '', fallback] = PARTS.exec(reference) ?? [];
    if (name === '' || fallback?.includes('${') === true) {
      faults.push({ reference, offset, kind: 'malformed', name: '' });
      return '';
    }
    const value = read(name);
    const known = fallback !== undefined && (value ?? '') === '' ? fallback : value;
    if (known === undefined) faults.push({ reference, offset, kind: 'unset', name });
    return known ?? '';
  });
  return { text: replaced, isWhole: PARTS.test(text) && text.indexOf('}') === text.length - 1, hasReference, faults };
}
