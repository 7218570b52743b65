import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { classifyPath, type PathClass } from '../core/gates/classify-paths.ts';
import { isRequiredGate } from '../core/gates/gate-spec.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import type { RunStat } from '../core/run/run-stat.ts';
import type { Environment } from '../core/values/environment.ts';
import { isJsonObject, type Json, mapTexts } from '../core/values/json.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import { createPathMatcher } from '../gates/path-matcher.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { readSettings, writeSettings } from '../journal/run-settings.ts';
import { createRedaction } from '../process/redact.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import type { RunView } from '../views/fold/run-view.ts';
import {
  type ChangeFacts,
  type PackageFacts,
  parseFacts,
  toChangeFacts,
  type WorkFacts,
  type WorkPlace,
} from '../views/report/work-facts.ts';
import type { GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import { listChangedPackages } from '../workspace/snapshot/changed-packages.ts';
import { readCommitFailure, readFate } from './run-fate.ts';
import { isCopy, type RunFile, readRunFile } from './run-file.ts';

export interface FactsOrder {
  readonly paths: RunPaths;
  readonly env: Environment;
  readonly view: RunView;
  /** Names of its turns, oldest first. */
  readonly turns: readonly string[];
  /** Opens the folder that it works in. */
  readonly open: (file: RunFile) => GitWorkspace;
}

/** What is known of a run beside its journal, as it is now; what nobody can see any more, as it was when the run ended. Never rejects. */
export async function readFacts(order: FactsOrder): Promise<WorkFacts> {
  const fate = readFate(order.paths, order.turns);
  const stored = readStoredFacts(order.paths, order.view);
  const seen = await collectFacts(order, stored?.packages).catch(() => null);
  if (seen === null) return { ...(stored ?? { at: toMoment(order.view), changed: null, place: null }), ...fate };
  return {
    ...seen,
    changed: seen.changed ?? stored?.changed ?? null,
    place: mergePlace(seen.place, stored?.place ?? null),
    ...fate,
  };
}

/** The commits are those of the run: what a person committed after its end is not. */
function mergePlace(seen: WorkPlace | null, stored: WorkPlace | null): WorkPlace | null {
  if (seen === null || stored?.state == null) return seen ?? stored;
  if (seen.state === null) return { ...stored, isThere: seen.isThere };
  return { ...seen, state: { ...seen.state, commits: stored.state.commits ?? seen.state.commits } };
}

async function collectFacts(order: FactsOrder, known?: PackageFacts): Promise<WorkFacts> {
  const { paths, view, turns, env, open } = order;
  // Its files are on another machine.
  if (isCopy(paths)) return { at: toMoment(view), changed: null, place: null, isCopy: true };
  const file = readRunFile(paths.settings);
  const isThere = existsSync(file.workspace);
  const folder = open(file);
  const [stat, after, state, packages] = await Promise.all([
    folder.statRun(turns),
    listAfterGreen(folder, order, file.settings.spec),
    isThere ? folder.state(file.base?.commit ?? null) : null,
    known ?? (isThere ? lookAtPackages(view, file) : null),
  ]);
  const failure = readCommitFailure(paths);
  const place: WorkPlace = {
    folder: file.workspace,
    isThere,
    worktree: file.resolves === undefined ? file.worktree : null,
    baseBranch: file.base?.branch ?? null,
    // Where nobody knows how it began, all that ever was committed would seem to be the run's.
    state: state === null || file.base !== undefined ? state : { ...state, commits: null },
    ...(failure === '' ? {} : { commitFailure: failure }),
  };
  const changed = stat === null ? null : await toChanges(stat, file, after);
  const facts: WorkFacts = { at: toMoment(view), changed, place, ...(packages !== null && { packages }) };
  const redaction = createRedaction(env, findKnownSecrets(file.settings, env));
  return redaction === null ? facts : (mapTexts(facts as unknown as Json, redaction.text) as unknown as WorkFacts);
}

/** Only once the run has ended, and where a gate could run from them. A gate that installs them itself runs from what it installed. */
async function lookAtPackages({ startedAt, end }: RunView, { workspace, settings }: RunFile): Promise<PackageFacts | null> {
  const gates = settings.spec.gates.filter((gate) => gate.protect === undefined);
  if (end === null || gates.length === 0 || gates.every(({ run }) => INSTALLS.test(run))) return null;
  return listChangedPackages({ cwd: workspace, since: startedAt, until: end.at });
}

const INSTALLS = /^\s*npm ci\b/;

/** The end, or the last that is known. */
function toMoment({ end, at }: RunView): number {
  return end?.at ?? at;
}

async function listAfterGreen(folder: GitWorkspace, { view, turns }: FactsOrder, spec: RunSpec): Promise<ReadonlySet<string>> {
  const proving = view.turns
    .flatMap((turn) => turn.gates)
    .filter((gate) => gate.passed && gate.skipped !== true && isRequiredGate(spec.gates[gate.gate] ?? {}));
  const green = proving.reduce((last, { iteration }) => Math.max(last, iteration), 0);
  const after = turns.filter((turn) => Number(turn.split('.')[0]) > green);
  return new Set(green === 0 ? [] : ((await folder.changedFiles(after)) ?? []));
}

async function toChanges(stat: RunStat, { settings }: RunFile, afterGreen: ReadonlySet<string>): Promise<ChangeFacts> {
  return toChangeFacts(stat, { classify: await createPathClassifier(settings.spec), afterGreen });
}

/** What a path from the folder that the agents work in is to a run. */
async function createPathClassifier({ gates }: Pick<RunSpec, 'gates'>): Promise<(path: string) => PathClass | null> {
  const globs = gates.flatMap((gate) => gate.protect ?? []);
  const isProtected = globs.length === 0 ? () => false : (await createPathMatcher(globs)).matches;
  const gateCommands = gates.filter((gate) => gate.protect === undefined).map((gate) => gate.run);
  const gateFiles = gates.flatMap(({ from }) => from ?? []);
  return (path) => classifyPath(path, { gateCommands, gateFiles, isProtected });
}

const REPORT_FILE = 'report.json';

/** Keeps a report in the folder of its run, at any moment the old or the new one. What cannot be kept is found anew by who asks. */
export function storeReport({ folder }: Pick<RunPaths, 'folder'>, report: Json): void {
  quietly(() => writeSettings(nodeFileSystem, join(folder, REPORT_FILE), report));
}

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** The commit that was checked out when the run ended, as the report says that was kept then; null where nobody knows. */
export function readEndCommit(paths: RunPaths, view: RunView): string | null {
  const head = readStoredFacts(paths, view)?.place?.state?.head ?? null;
  return head !== null && OBJECT_ID.test(head) ? head : null;
}

/** The facts of the report that was kept at this end of the run: an agent may have put anything in its place. */
function readStoredFacts(paths: RunPaths, view: RunView): WorkFacts | null {
  if (view.end === null) return null;
  const report = tryOr(() => readSettings(nodeFileSystem, join(paths.folder, REPORT_FILE)), null);
  const facts = isJsonObject(report) ? report['facts'] : undefined;
  return facts !== undefined && isJsonObject(facts) && facts['at'] === view.end.at ? parseFacts(facts) : null;
}
