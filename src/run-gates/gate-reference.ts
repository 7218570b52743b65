import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { isJsonObject, type Json, parseJson, readOwn, toJsonObject } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { describeChanges } from '../gates/describe-changes.ts';
import type { StartScopes } from '../gates/gate-contract.ts';
import { toStartScopes } from '../gates/gate-scope.ts';
import { createPathMatcher } from '../gates/path-matcher.ts';
import { type Pins, pinFiles } from '../gates/pin-files.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { TreeReader } from '../ports/tree-reader.ts';
import type { RunFile } from '../runs/run-file.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import type { WorkspaceSettings } from '../workspace/checkpoint/create-workspace.ts';
import { createTreeReader } from '../workspace/snapshot/create-tree-reader.ts';
import { asksForStartTests, readStartRecord, type StartRecord, takeStartRecord, toStartJson, toStartPath } from './start-tests.ts';

/** What gates compare with: the files as they were when the run began. */
export interface GateReference {
  readonly tree: TreeReader;
  readonly startScopes: StartScopes;
  /** The tests of the start; `null` where they are not known, or nothing asks for them. */
  readonly startTests: StartRecord | null;
  /** What is wrong with protected files now; empty for nothing. */
  readonly checkProtected: () => Promise<string>;
  /** Notes how protected files are when the process ends, so that a change by a person can be told from one by an agent. */
  readonly close: () => Promise<void>;
}

/** What is known of a run before its adapters are there. */
export interface ReferenceParts {
  readonly paths: Pick<RunPaths, 'folder' | 'runId'>;
  readonly file: RunFile;
  readonly env: Environment;
}

/**
 * Looks at the files before the first agent starts, or, where the run goes on, takes what was seen then. Protected files that differ from how
 * they were when the last process of the run ended were changed by a person, who may: they count as they are now.
 */
export async function openGateReference(parts: ReferenceParts, isResumed: boolean): Promise<GateReference> {
  const { file } = parts;
  const place = {
    cwd: file.workspace,
    env: withoutKeys(file.settings, parts.env),
    stateDirs: toStateDirs(file.settings),
    programs: file.gitPrograms,
  };
  const tree = createTreeReader(place);
  const startScopes = await openScopes(parts, tree, isResumed);
  const startTests = await openStartTests(parts, place, tree, isResumed);
  const globs = file.settings.spec.gates.flatMap((gate) => gate.protect ?? []);
  if (globs.length === 0) return { tree, startScopes, startTests, checkProtected: async () => '', close: async () => undefined };
  const look = (): Promise<Pins | null> => pinFiles(file.workspace, globs);
  const pins = await openPins(parts, globs, await look(), isResumed);
  return {
    tree,
    startScopes,
    startTests,
    checkProtected: async () => {
      const now = pins === null ? null : await look();
      return pins === null || now === null ? TOO_MANY : describeChanges(pins, now);
    },
    close: async () => writeJson(toPath(parts, 'protected-end.json'), { v: 1, files: (await look()) ?? {} }),
  };
}

const TOO_MANY =
  'The globs of `protect` name more files than can be looked at (5,000), or a folder with more than 50,000 entries. Name fewer.';

async function openScopes(parts: ReferenceParts, tree: TreeReader, isResumed: boolean): Promise<StartScopes> {
  const { gates } = parts.file.settings.spec;
  if (gates.every((gate) => gate.onlyIf === undefined)) return {};
  const path = toPath(parts, 'start-scopes.json');
  if (isResumed) {
    // Globs that were not there then: whether something changed under them is not known, so those gates run.
    const kept = readJson(path);
    return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }
  const scopes = await toStartScopes(await tree.read(), gates);
  writeJson(path, scopes);
  return scopes;
}

async function openStartTests(
  { paths, file }: ReferenceParts,
  place: Pick<WorkspaceSettings, 'cwd' | 'env' | 'stateDirs' | 'programs'>,
  tree: TreeReader,
  isResumed: boolean,
): Promise<StartRecord | null> {
  const path = toStartPath(paths.folder);
  if (isResumed) return readStartRecord(path);
  if (!asksForStartTests(file.settings.spec)) return null;
  const scratchDir = join(paths.folder, 'git');
  const record = await takeStartRecord(tree, { ...place, runId: paths.runId, scratchDir, baseline: null, checkpointBranch: null });
  if (record !== null) writeJson(path, toStartJson(record));
  return record;
}

async function openPins(parts: ReferenceParts, globs: readonly string[], now: Pins | null, isResumed: boolean): Promise<Pins | null> {
  const [path, endPath] = [toPath(parts, 'protected.json'), toPath(parts, 'protected-end.json')];
  const before = isResumed && now !== null ? await resumePins(readPins(path), readPins(endPath), now, globs) : now;
  rmSync(endPath, { force: true });
  if (before !== null) writeJson(path, { v: 1, files: before });
  return before;
}

/** The pins of a run that goes on: those of its start, but for what changed while no process of it was there, and what other globs name now. */
async function resumePins(start: Pins | null, end: Pins | null, now: Pins, globs: readonly string[]): Promise<Pins> {
  if (start === null) return now;
  const { matches } = await createPathMatcher(globs);
  const paths = [...new Set([...Object.keys(start), ...Object.keys(now)])].filter(matches);
  const chosen = paths.flatMap((path) => {
    const byPerson = end !== null && readOwn(end, path)?.hash !== readOwn(now, path)?.hash;
    const pin = byPerson ? readOwn(now, path) : readOwn(start, path);
    return pin === undefined ? [] : [[path, pin] as const];
  });
  return Object.fromEntries(chosen);
}

function readPins(path: string): Pins | null {
  const { files } = readJson(path);
  if (!isJsonObject(files)) return null;
  const entries = Object.entries(files).flatMap(([name, pin]) => {
    if (!isJsonObject(pin) || typeof pin['hash'] !== 'string') return [];
    const { text, kind } = pin;
    const kept = { hash: pin['hash'], text: typeof text === 'string' ? text : null };
    return [[name, typeof kind === 'string' ? { ...kept, kind } : kept] as const];
  });
  return Object.fromEntries(entries);
}

export function listReferenceFiles(paths: Pick<RunPaths, 'folder'>): readonly string[] {
  const names = ['start-scopes.json', 'protected.json', 'protected-end.json'];
  return [toStartPath(paths.folder), ...names.map((name) => toPath({ paths }, name))];
}

/** A file of the run's folder about its gates. */
function toPath({ paths }: { readonly paths: Pick<RunPaths, 'folder'> }, name: string): string {
  return join(paths.folder, 'gates', name);
}

function readJson(path: string): Readonly<Record<string, Json | undefined>> {
  return tryOr(() => toJsonObject(parseJson(readFileSync(path, 'utf8'))), {});
}

/** What cannot be written is missing after a resume: then more is asked, not less. */
function writeJson(path: string, value: unknown): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    return;
  }
}
