import { basename, dirname, resolve } from 'node:path';
import type { Finding } from '../../core/schema/finding.ts';
import type { Environment } from '../../core/values/environment.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { quote } from '../findings/diagnostics.ts';
import {
  createEmptyMap,
  createSourceFile,
  type Diagnostic,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type Place,
  toDiagnostic,
  toSpan,
} from '../findings/located.ts';
import { translateForeignHat } from '../foreign/translate-foreign.ts';
import { showReference } from '../keys/value-finding.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { expandText } from './expand-variables.ts';
import { mergeLocated } from './merge-located.ts';
import { liesOutside, type ReadText, toShownPath } from './read-text-file.ts';

/** A configuration in which imports of hats are replaced by what they stand for. */
export interface ExpandedImports {
  readonly root: LocatedMap;
  readonly diagnostics: readonly Diagnostic[];
  /** Hats of which a part could not be read. */
  readonly brokenHats: readonly string[];
}

export interface ImportRequest {
  /** Absolute; paths are shown relative to it. */
  readonly cwd: string;
  readonly env: Environment;
  readonly readText: ReadText;
}

const MAX_BYTES = 1_000_000;
const MAX_DEPTH = 20;

/**
 * Reads `hats.<id>.import: FILE`: the file holds the keys of one hat (or `hats:` with one hat), relative to the file that says it; keys beside
 * `import` win. An imported hat may import another one.
 */
export function expandImports(root: LocatedMap, request: ImportRequest): ExpandedImports {
  const hats = root.entries.get('hats');
  const unchanged = { root, diagnostics: [], brokenHats: [] };
  if (hats?.value.kind !== 'map') return unchanged;
  const reader = new HatImporter(request);
  const expanded = new Map<string, LocatedEntry>();
  const brokenHats: string[] = [];
  for (const [id, entry] of hats.value.entries) {
    if (entry.value.kind !== 'map' || !entry.value.entries.has('import')) continue;
    const { hat, isWhole } = reader.expand(entry.value, id);
    expanded.set(id, { key: entry.key, value: hat });
    if (!isWhole) brokenHats.push(id);
  }
  if (expanded.size === 0) return unchanged;
  const entries = new Map([...hats.value.entries].map(([id, entry]) => [id, expanded.get(id) ?? entry] as const));
  const value = { ...hats.value, entries };
  return {
    root: { ...root, entries: new Map([...root.entries, ['hats', { key: hats.key, value }]]) },
    diagnostics: reader.diagnostics,
    brokenHats,
  };
}

/** A hat with what it imports; not whole where a part of that could not be read. */
interface ImportedHat {
  readonly hat: LocatedMap;
  readonly isWhole: boolean;
}

/** An import on the way to the one that is being read. */
interface Link {
  readonly path: string;
  readonly place: Place;
}

interface Import {
  readonly id: string;
  readonly written: string;
  /** The imports on the way to it. */
  readonly chain: readonly Link[];
}

class HatImporter {
  readonly diagnostics: Diagnostic[] = [];
  readonly #request: ImportRequest;
  /** By absolute path: a file that many hats import is read once. A finding says why there is nothing. */
  readonly #files = new Map<string, Result<ImportedHat, Finding>>();

  constructor(request: ImportRequest) {
    this.#request = request;
  }

  expand(hat: LocatedMap, id: string, chain: readonly Link[] = []): ImportedHat {
    const { import: entry, own } = splitImport(hat);
    // A value that is no text is left to the check against the settings table.
    if (entry?.value.kind !== 'scalar' || typeof entry.value.value !== 'string') return { hat, isWhole: true };
    const imported = this.#read(entry.value, { id, written: entry.value.value, chain });
    if (imported === null) return { hat: own, isWhole: false };
    const merged = mergeLocated(imported.hat, own, ['hats', '']);
    return { hat: { ...merged, place: own.place }, isWhole: imported.isWhole };
  }

  #read(scalar: LocatedScalar, { id, written, chain }: Import): ImportedHat | null {
    const expanded = expandText(scalar, written, this.#request.env);
    if (!expanded.ok) {
      this.diagnostics.push(...expanded.refused);
      return null;
    }
    const name = expanded.value;
    const { place } = scalar;
    const fault = toNameFault(name);
    if (fault !== null) return this.#report(place, showReference(fault, { ...scalar, value: name, reference: written }));
    const path = resolve(place.file.folder, name);
    const start = chain.findIndex((link) => link.path === path);
    const next = [...chain, { path, place }];
    if (start >= 0) return this.#reportCycle(next.slice(start));
    if (chain.length >= MAX_DEPTH) return this.#report(place, TOO_DEEP);
    const known = this.#files.get(path) ?? this.#readFile(path, { id, written, chain: next });
    this.#files.set(path, known);
    return known.ok ? known.value : this.#report(place, known.refused);
  }

  #readFile(path: string, { id, written, chain }: Import): Result<ImportedHat, Finding> {
    const shown = toShownPath(this.#request.cwd, path);
    const file = this.#request.readText(path, MAX_BYTES);
    if (!file.ok) return refuse(toMissing(written, shown.endsWith(basename(written)) ? shown : null, file.refused.message));
    const isForeign = liesOutside(path, [this.#request.cwd, chain[0]?.place.file.folder ?? this.#request.cwd]);
    const { root, diagnostics } = parseYaml({ ...createSourceFile(shown, dirname(path), file.value), isForeign });
    this.diagnostics.push(...diagnostics);
    const end = chain.at(-1);
    if (root === null && end !== undefined) return accept({ hat: createEmptyMap(end.place), isWhole: false });
    const hat = root === null ? null : toSingleHat(root);
    if (root === null || hat === null) return refuse(toSeveral(shown));
    if (hat !== root) this.diagnostics.push(...listNotRead(root));
    const translated = translateForeignHat(hat, ['hats', id]);
    this.diagnostics.push(...translated.diagnostics);
    return accept(this.expand(translated.root, id, chain));
  }

  #report(place: Place, finding: Finding): null {
    this.diagnostics.push(toDiagnostic(place, finding));
    return null;
  }

  #reportCycle(links: readonly Link[]): null {
    const [first] = links;
    const last = links.at(-1);
    if (first === undefined || last === undefined) return null;
    const names = links.map((link) => toShownPath(this.#request.cwd, link.path)).join(' -> ');
    const related = links.slice(0, -1).map((link) => ({ ...toSpan(link.place), message: 'The way to it goes through here.' }));
    this.diagnostics.push({ ...toDiagnostic(last.place, toCycle(names)), related });
    return null;
  }
}

function splitImport(hat: LocatedMap): { readonly import: LocatedEntry | undefined; readonly own: LocatedMap } {
  const entries = new Map(hat.entries);
  entries.delete('import');
  return { import: hat.entries.get('import'), own: { ...hat, entries } };
}

/** The file itself, or the one hat under its `hats:`; `null` where there are none or several. */
function toSingleHat(root: LocatedMap): LocatedMap | null {
  const hats = root.entries.get('hats')?.value;
  if (hats === undefined) return root;
  const [only, ...others] = hats.kind === 'map' ? [...hats.entries.values()] : [];
  return only?.value.kind === 'map' && others.length === 0 ? only.value : null;
}

/** Keys that a file of one hat under `hats:` may have beside it. */
const BESIDE = ['hats', 'name', 'description'];

/** Findings about keys beside `hats:` that mean nothing for a single hat. */
function listNotRead(root: LocatedMap): readonly Diagnostic[] {
  return [...root.entries]
    .filter(([name]) => !BESIDE.includes(name) && !/^(?:x-|_)/.test(name))
    .map(([name, entry]) =>
      toDiagnostic(entry.key, {
        code: 'import-key',
        severity: 'warning',
        message: `The key ${quote(name)} is not read from an imported file.`,
        why: 'An import provides one hat; settings of the run belong in the file that imports it.',
        fix: 'Move it to `ralph.yml`, or remove it. A whole team is taken over by `--hats FILE`.',
      }),
    );
}

const WHY = 'The hat would lack what it was to be.';

function toNameFault(name: string): Finding | null {
  if (name.trim() !== '' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(name) && !name.includes('\0')) return null;
  return {
    code: 'import-invalid',
    severity: 'error',
    message: `${quote(name)} is not the path of a file.`,
    why: 'A hat is read from this machine only, because an agent follows what it says.',
    fix: 'Write a path relative to this file, such as `./hats/builder.yml`.',
  };
}

function toMissing(name: string, shown: string | null, message: string): Finding {
  return {
    code: 'import-missing',
    severity: 'error',
    message: `The hat in ${quote(name)} cannot be read: ${message}.`,
    why: WHY,
    fix: `Correct the path: it counts from the folder of the file that says it${shown === null ? '' : `, and leads to ${shown}`}.`,
  };
}

function toSeveral(shown: string): Finding {
  return {
    code: 'import-hat',
    severity: 'error',
    message: `${quote(shown)} does not hold exactly one hat.`,
    why: WHY,
    fix: 'Write the keys of one hat at the top of the file: `triggers:`, `publishes:`, `instructions:`. A whole team is taken over by `--hats FILE`.',
  };
}

function toCycle(names: string): Finding {
  return {
    code: 'import-cycle',
    severity: 'error',
    message: `These imports go round in a circle: ${names}.`,
    why: 'They would never come to an end.',
    fix: 'Remove one of them.',
  };
}

const TOO_DEEP: Finding = {
  code: 'import-deep',
  severity: 'error',
  message: `Imports are nested more than ${MAX_DEPTH} deep.`,
  why: WHY,
  fix: 'Put what the files have in common into one file.',
};
