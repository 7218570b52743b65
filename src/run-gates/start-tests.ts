import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTestPath } from '../core/gates/classify-paths.ts';
import type { StartTestsResult } from '../core/gates/gate-result.ts';
import { isRequiredGate } from '../core/gates/gate-spec.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import type { GateRunnerSettings, TryStartTests } from '../gates/gate-contract.ts';
import type { TreeReader, TreeState } from '../ports/tree-reader.ts';
import { createWorkspace, type WorkspaceSettings } from '../workspace/checkpoint/create-workspace.ts';
import { type Brought, type CopyOrder, type StartFiles, useCopy } from '../workspace/worktree/copy-apart.ts';
import type { GateRun } from './run-gates.ts';

export interface StartRecord {
  /** Where git keeps their contents. */
  readonly tree: string;
  /** By path from the workspace what the tree reader said of each. */
  readonly files: ReadonlyMap<string, string>;
}

/** True for a run whose gates are tried with the tests of the start. */
export function asksForStartTests({ gates }: Pick<RunSpec, 'gates'>): boolean {
  return gates.some((gate) => gate.protect === undefined && isRequiredGate(gate) && gate.mayChangeTests !== true);
}

/** Looks at the tests before anybody changes them. `null` without git, and where there are too many files to be told apart. */
export async function takeStartRecord(tree: TreeReader, settings: WorkspaceSettings): Promise<StartRecord | null> {
  const state = await tree.read();
  if (state === null) return null;
  const workspace = createWorkspace(settings);
  const snapshot = await workspace.snapshot('start', 'before');
  await workspace.settle();
  if (snapshot.tree === null) return null;
  return { tree: snapshot.tree, files: new Map([...state.files].filter(([path]) => isTestPath(path))) };
}

/** As it is kept. */
export function toStartJson({ tree, files }: StartRecord): Json {
  return { v: 1, tree, files: Object.fromEntries(files) };
}

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** What was kept; `null` for anything else. */
export function readStartRecord(path: string): StartRecord | null {
  return tryOr(() => {
    const value = parseJson(readFileSync(path, 'utf8'));
    if (!isJsonObject(value)) return null;
    const { tree, files } = value;
    if (typeof tree !== 'string' || !OBJECT_ID.test(tree) || files === undefined || !isJsonObject(files)) return null;
    return { tree, files: new Map(Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === 'string')) };
  }, null);
}

export interface StartTestsParts {
  readonly record: StartRecord;
  readonly spec: RunSpec;
  readonly copy: Omit<CopyOrder, 'paths' | 'start' | 'signal'>;
  /** Runs gates in a folder as the run does in its own; they must not write in the folders of `packages`. */
  readonly run: (
    cwd: string,
    gates: readonly number[],
    watch: Parameters<TryStartTests>[2],
    packages: readonly string[],
  ) => Promise<GateRun>;
}

/** Tries gates on a copy of the work in which the tests that the run changed are those of the start, and, where that fails, on one with the tests as they are. */
export function createStartTests(parts: StartTestsParts): NonNullable<GateRunnerSettings['tryStartTests']> {
  const known = new Map<string, StartTestsResult>();
  const tryGroup = async (gates: readonly number[], mayLose: boolean, { now, watch }: Omit<Trial, 'changed'>) => {
    const changed = findChanged(parts, mayLose, now);
    if (changed.restored.size === 0) return [];
    const toKey = (gate: number): string => `${gate} ${parts.spec.gates[gate]?.run} ${now.hash}`;
    const open = gates.filter((gate) => !known.has(toKey(gate)));
    const results = open.length === 0 ? [] : await tryOut(parts, open, { now, changed, watch });
    for (const [gate, result] of results) if (result.outcome === 'passed') known.set(toKey(gate), result);
    const told = new Map(results);
    return gates.flatMap((gate) => {
      const result = told.get(gate) ?? known.get(toKey(gate));
      return result === undefined ? [] : [[gate, result] as const];
    });
  };
  return async (gates, now, watch) => {
    const tried: (readonly [number, StartTestsResult])[] = [];
    for (const mayLose of [false, true]) {
      const group = gates.filter((gate) => (parts.spec.gates[gate]?.mayLoseTests === true) === mayLose);
      if (group.length > 0) tried.push(...(await tryGroup(group, mayLose, { now, watch })));
    }
    return new Map(tried);
  };
}

/** Tests that are gone are no matter for gates that may run fewer. */
function findChanged({ record }: StartTestsParts, mayLose: boolean, now: TreeState): StartFiles {
  const differs = ([path, hash]: readonly [string, string]): boolean => (now.files.has(path) ? now.files.get(path) !== hash : !mayLose);
  return {
    tree: record.tree,
    restored: new Map([...record.files].filter(differs)),
    added: [...now.files.keys()].filter((path) => isTestPath(path) && !record.files.has(path)),
  };
}

interface Trial {
  readonly now: TreeState;
  readonly changed: StartFiles;
  readonly watch: Parameters<TryStartTests>[2];
}

const MAX_NAMED = 10;
const MAX_NAME = 200;

async function tryOut(
  { copy, run }: StartTestsParts,
  gates: readonly number[],
  { now, changed, watch }: Trial,
): Promise<readonly (readonly [number, StartTestsResult])[]> {
  const names = [...changed.restored.keys()];
  const facts = { changed: names.slice(0, MAX_NAMED).map((path) => maskControls(path).slice(0, MAX_NAME)), total: names.length };
  const say = (words: string): void => {
    for (const gate of gates) watch.observe(gate, words);
  };
  const order = { ...copy, paths: [...now.files.keys()], signal: watch.signal };
  try {
    say(`[once more, with ${names.length === 1 ? '1 test file' : `${names.length} test files`} as at the start]`);
    const runIn = async (
      cwd: string,
      due: readonly number[],
      { packages, leftOut }: Brought,
    ): Promise<GateRun & Pick<Brought, 'leftOut'>> => ({
      ...inPlace(await run(cwd, due, watch, packages), cwd, copy),
      leftOut,
    });
    const before = await useCopy({ ...order, start: changed }, (cwd, brought) => runIn(cwd, gates, brought));
    const red = before.results.filter(({ passed }) => !passed).map(({ gate }) => gate);
    if (red.length > 0) say('[failed; trying the current tests in the same copy]');
    const after = red.length === 0 ? null : await useCopy(order, (cwd, brought) => runIn(cwd, red, brought));
    return before.results.map(({ gate, passed, outputTail, ranTests }) => {
      if (passed) return [gate, { outcome: 'passed', ...facts, outputTail: '', ...(ranTests !== undefined && { ranTests }) }];
      const control = after?.results.find((result) => result.gate === gate);
      if (control?.passed === true) return [gate, { outcome: 'failed', ...facts, outputTail }];
      return [
        gate,
        {
          outcome: 'unknown',
          ...facts,
          outputTail: `In the copy it also fails with the current tests.${toLeftOut(before)}\n${control?.outputTail ?? ''}`,
        },
      ];
    });
  } catch (error) {
    const why = `It could not be tried: ${maskControls(toErrorMessage(error))}`;
    return gates.map((gate) => [gate, { outcome: 'unknown', ...facts, outputTail: why }]);
  }
}

/** What may be why. */
function toLeftOut({ leftOut }: Pick<Brought, 'leftOut'>): string {
  if (leftOut.length === 0) return '';
  const named = leftOut.slice(0, MAX_NAMED).map((path) => maskControls(path).slice(0, MAX_NAME));
  return ` Not in the copy: ${named.join(', ')}${leftOut.length > named.length ? ` and ${leftOut.length - named.length} more` : ''}.`;
}

/** What gates said, as if they had said it of the folder that agents work in: the copy is gone when they read it. */
function inPlace({ results, passed }: GateRun, cwd: string, { workspace }: StartTestsParts['copy']): GateRun {
  return { passed, results: results.map((result) => ({ ...result, outputTail: result.outputTail.replaceAll(cwd, workspace) })) };
}

/** The file of a run's folder in which the tests of the start are kept. */
export function toStartPath(folder: string): string {
  return join(folder, 'gates', 'start-tests.json');
}
