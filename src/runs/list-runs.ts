import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError } from '../core/values/errors.ts';
import { parseJson, toJsonObject } from '../core/values/json.ts';
import { findRun, listKnownRuns } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import { toAttention } from '../views/report/attention.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { openRunReaderIn } from './read-run.ts';
import type { RunSummary } from './run-api.ts';
import { readRunFile } from './run-file.ts';
import { findHolder } from './run-lock.ts';

/** The runs of a folder, newest first. A run that cannot be read is listed as damaged. */
export function summariseRuns(cwd: string, env: Environment): RunSummary[] {
  const { stateDir } = findLayout(cwd);
  const runs = listKnownRuns({ fs: nodeFileSystem, stateDir });
  return [...runs].reverse().map((runId) => summariseRun(cwd, runId, env));
}

/**
 * The runs of every folder that is known here, with their folder, newest first.
 *
 * @param onUnread is told of a folder whose runs cannot be read, and why; the others are listed all the same
 */
export function summariseAllRuns(
  env: Environment,
  onUnread: (root: string, error: unknown) => void = () => undefined,
): readonly (RunSummary & Pick<KnownProject, 'root'>)[] {
  const listOne = ({ root }: KnownProject): readonly RunSummary[] => {
    try {
      return summariseRuns(root, env);
    } catch (error) {
      onUnread(root, error);
      return [];
    }
  };
  return listProjects(env)
    .flatMap((project) => listOne(project).map((run) => ({ ...run, root: project.root })))
    .toSorted((left, right) => right.startedAt - left.startedAt);
}

/** One run of a folder, as a list shows it. */
export function summariseRun(cwd: string, runId: string, env: Environment): RunSummary {
  const isAlive = (): boolean => findHolder(findLayout(cwd), runId) !== null;
  const nothing = {
    runId,
    startedAt: 0,
    reason: null,
    attention: null,
    proof: null,
    iterations: 0,
    interrupted: 0,
    costUsd: null,
    objective: '',
    workspace: '',
    worktree: null,
  };
  try {
    const layout = findLayout(cwd);
    // Found first: that is where a journal that was lost is told.
    const run = openRunReaderIn(layout, findRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, runId), env);
    let objective = '';
    const fold = createRunViewFold();
    const state = run.replay((record) => {
      fold.take(record);
      if (record.kind === 'input' && record.input.type === 'run-started') ({ objective } = record.input.spec);
    });
    const view = fold.view();
    const status = state.status === 'ended' ? 'ended' : run.isAlive ? (state.status === 'parked' ? 'parked' : 'running') : 'dead';
    const { workspace, worktree } = readRunFile(toRunPaths(findLayout(cwd).stateDir, runId).settings);
    return {
      runId,
      startedAt: state.startedAt,
      status,
      reason: state.end?.reason ?? null,
      attention: toAttention(view, {
        isAlive: run.isAlive,
        isUnseen: run.isUnseen,
        fleet: run.fleet(),
        now: Date.now(),
        live: run.live(),
        isNewest: false,
      }),
      proof: view.end?.proof ?? null,
      iterations: state.counters.counted,
      interrupted: view.totals.interrupted,
      costUsd: state.usage.costUsd,
      objective,
      workspace,
      worktree,
    };
  } catch (error) {
    if (isRalphError(error) && error.code === 'run-not-begun') return { ...nothing, status: isAlive() ? 'running' : 'never_began' };
    const wayBack = isRalphError(error) && error.code === 'journal-lost' ? error.fix : undefined;
    return { ...nothing, status: 'damaged', ...(wayBack !== undefined && { wayBack }) };
  }
}

interface KnownProject {
  /** Absolute: the folder of the configuration. */
  readonly root: string;
  /** Absolute: where its runs are. */
  readonly stateDir: string;
}

/**
 * Notes a folder for `ralph runs --all`, in the user's state folder: `$XDG_STATE_HOME/ralph/projects`, by default below `~/.local/state`. One small file a folder, written
 * once. Where that cannot be written, the folder is not in the list, and nothing else is amiss.
 */
export function noteProject({ root, stateDir }: Layout, env: Environment): void {
  const folder = findFolder(env);
  if (folder === null) return;
  const path = join(folder, `${createHash('sha256').update(stateDir).digest('hex').slice(0, 16)}.json`);
  try {
    if (existsSync(path)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${JSON.stringify({ root, stateDir })}\n`, { mode: 0o600 });
  } catch {
    return;
  }
}

/** The folders that were noted and still have runs. The others are forgotten. */
export function listProjects(env: Environment): readonly KnownProject[] {
  const folder = findFolder(env);
  if (folder === null || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readProject(join(folder, name)) ?? []);
}

function readProject(path: string): KnownProject | null {
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    const { root, stateDir } = toJsonObject(value);
    if (typeof root === 'string' && typeof stateDir === 'string' && existsSync(join(stateDir, 'runs'))) return { root, stateDir };
    rmSync(path, { force: true });
  } catch {
    // What cannot be read now may be read another time.
  }
  return null;
}

function findFolder({ XDG_STATE_HOME: state = '', HOME: home = '' }: Environment): string | null {
  if (isAbsolute(state)) return join(state, 'ralph', 'projects');
  return isAbsolute(home) ? join(home, '.local', 'state', 'ralph', 'projects') : null;
}
