import { createEmptyMap, createSourceFile, type Diagnostic, type LocatedEntry, type LocatedMap, type Path } from '../findings/located.ts';
import { TOP_KEYS } from '../keys/settings-table.ts';
import { expandImports, type ImportRequest } from './expand-imports.ts';
import { expandVariables } from './expand-variables.ts';
import { applyOverlay, mergeLocated } from './merge-located.ts';
import { CONFIG_VARIABLES } from './overrides.ts';
import { findPreset } from './package-files.ts';
import { readAssignment, readVariableLayers, type SettingLayer } from './read-assignments.ts';
import { type ConfigFile, findConfigFile, findUserConfigFile, readConfigFile } from './read-config-file.ts';
import type { TextFile, TextFileKind } from './read-text-file.ts';

/** Where the parts of a configuration come from, flags aside. */
export interface LayersRequest extends ImportRequest {
  /** Named by the user; empty: the one that `RALPH_CONFIG` names, else the one that is found in the folder. */
  readonly configFiles: readonly string[];
  readonly hatsOverlay: string | undefined;
  readonly assignments: readonly string[];
}

/** The sources of a configuration, laid over each other. */
export interface Layers {
  /** All files, as they are shown, lowest first; imported ones are not among them. */
  readonly names: readonly string[];
  /** The files to give to a later load for the same run: without the user's own file and the overlay. */
  readonly configFiles: readonly string[];
  /** `null` where a file could not be read as YAML. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
  /** True if the value at the path, or a part of it, could not be read and was left out. */
  readonly isBroken: (path: Path) => boolean;
  /** What the variables say that `${NAME}` names. */
  readonly variables: Readonly<Record<string, string>>;
  /** What `-c key.path=value` says. */
  readonly assigned: LocatedMap;
}

/**
 * Reads all sources and lays them over each other, lowest first: the user's file, the files of the project, the overlay of `--hats`, the environment,
 * the assignments. Imports of hats and references to variables give way to what they stand for.
 *
 * @throws RalphError `config-missing`, `config-unreadable`, `preset-unknown`, `assignment-invalid` (exit code 2)
 */
export function readLayers(request: LayersRequest): Layers {
  const reader = new LayerReader(request);
  const user = reader.readUserFile();
  const own = reader.readOwnFiles();
  const overlay = request.hatsOverlay === undefined ? null : reader.readOverlay(request.hatsOverlay);
  const variables = reader.takeSettings(readVariableLayers(request.env, request.cwd));
  const assignments = reader.takeSettings(request.assignments.map((text) => readAssignment(text, request.cwd)));
  const empty = createEmptyMap({ file: createSourceFile('(defaults)', request.cwd, ''), start: 0, end: 0 });
  const files = mergeAll(empty, [user, ...own]);
  const overlaid = overlay?.root == null ? { root: files, diagnostics: [] } : applyOverlay(files, overlay.root);
  const roots = [user, ...own, overlay].filter((file) => file !== null);
  const merged = mergeAll(overlaid.root, [...variables, ...assignments]);
  const expanded = reader.hasReferences
    ? expandVariables(merged, request.env)
    : { root: merged, diagnostics: [], variables: {}, isBroken: () => false };
  return {
    names: roots.map((file) => file.name),
    configFiles: own.map((file) => file.name),
    root: roots.some((file) => file.root === null) ? null : expandShortForms(expanded.root),
    diagnostics: [...reader.diagnostics, ...overlaid.diagnostics, ...expanded.diagnostics],
    variables: expanded.variables,
    isBroken: (path) => expanded.isBroken(path) || isInBrokenHat(path, reader.brokenHats),
    assigned: mergeAll(empty, assignments),
  };
}

function isInBrokenHat([top, id]: Path, brokenHats: ReadonlySet<string>): boolean {
  return top === 'hats' && (id === undefined ? brokenHats.size > 0 : brokenHats.has(String(id)));
}

class LayerReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly brokenHats = new Set<string>();
  /** False where no text holds a `$`: then nothing is searched for variables. */
  hasReferences = false;
  readonly #request: LayersRequest;

  constructor(request: LayersRequest) {
    this.#request = { ...request, readText: (path, maxBytes, kind) => this.#note(request.readText(path, maxBytes, kind)) };
  }

  #note(file: TextFile): TextFile {
    if (file.ok && file.value.includes('$')) this.hasReferences = true;
    return file;
  }

  readUserFile(): ConfigFile | null {
    const file = findUserConfigFile(this.#request.env);
    return file === null ? null : this.#readFile(file.path, { shown: file.shown, kind: 'regular' });
  }

  readOwnFiles(): readonly ConfigFile[] {
    const { cwd, env, configFiles } = this.#request;
    const variable = env[CONFIG_VARIABLES.file] ?? '';
    const named = configFiles.length > 0 || variable === '' ? configFiles : [variable];
    const found = named.length > 0 ? null : findConfigFile(cwd);
    return found === null ? named.map((name) => this.#readFile(name)) : [this.#readFile(found, { kind: 'regular' })];
  }

  #readFile(named: string, how: { readonly shown?: string; readonly kind?: TextFileKind } = {}): ConfigFile {
    const { cwd, readText } = this.#request;
    return this.#take(readConfigFile({ cwd, named, readText, ...how }));
  }

  readOverlay(named: string): ConfigFile {
    if (!named.startsWith('preset:')) return this.#readFile(named);
    return this.#readFile(findPreset(named.slice('preset:'.length)).path, { shown: named });
  }

  takeSettings(layers: readonly SettingLayer[]): readonly SettingLayer[] {
    if (layers.length > 0) this.hasReferences = true;
    return layers.map((layer) => this.#take(layer));
  }

  /** Takes a source: its findings, and what its hats import. */
  #take<Source extends SettingLayer>(source: Source): Source {
    this.diagnostics.push(...source.diagnostics);
    if (source.root === null) return source;
    const { root, diagnostics, brokenHats } = expandImports(source.root, this.#request);
    this.diagnostics.push(...diagnostics);
    for (const id of brokenHats) this.brokenHats.add(id);
    return { ...source, root };
  }
}

function mergeAll(empty: LocatedMap, layers: readonly (SettingLayer | null)[]): LocatedMap {
  const roots = layers.map((layer) => layer?.root ?? null).filter((root) => root !== null);
  return roots.reduce((base, over) => (base.entries.size === 0 ? over : mergeLocated(base, over)), empty);
}

/** Writes short forms out: `sandbox: off` is `sandbox: {mode: off}`. The word keeps its place. */
function expandShortForms(root: LocatedMap): LocatedMap {
  const entries = new Map(root.entries);
  for (const [name, setting] of Object.entries(TOP_KEYS)) {
    const entry = entries.get(name);
    const short = 'short' in setting ? setting.short : undefined;
    if (short !== undefined && entry?.value.kind === 'scalar' && entry.value.value !== null) entries.set(name, toMap(entry, short));
  }
  return { ...root, entries };
}

function toMap(entry: LocatedEntry, short: string): LocatedEntry {
  return { ...entry, value: { kind: 'map', entries: new Map([[short, entry]]), place: entry.value.place } };
}
