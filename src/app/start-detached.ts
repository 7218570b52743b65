import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findPackageFolder } from '../config/index.ts';
import { createRunId, listRuns, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import { toLayout } from './layout.ts';
import { findHolder } from './run-lock.ts';

/** A run that is to outlive the command that starts it. */
export interface DetachOrder {
  readonly cwd: string;
  /** Relative to `cwd`. */
  readonly stateDir: string;
  /** The words after `ralph`. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A run that is under way in a process of its own, or what a process said that ended before it had one. */
export type Detached =
  | { readonly kind: 'running'; readonly runId: string; readonly pid: number; readonly log: string }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly output: string };

const LOOK_EVERY_MS = 50;

/**
 * Starts `ralph` with these words in a session of its own: closing the terminal does not reach it. What it prints goes to `output.log` in the run's folder. Resolves when
 * the run is under way, or has ended.
 */
export async function startDetached({ cwd, stateDir, words, env }: DetachOrder): Promise<Detached> {
  const layout = toLayout(cwd, stateDir);
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const before = new Set(listRuns(state));
  mkdirSync(layout.stateDir, { recursive: true });
  const draft = join(layout.stateDir, `output-${createRunId(Date.now(), Math.random)}.log`);
  const fd = openSync(draft, 'wx', 0o600);
  const command = join(findPackageFolder(), 'bin', 'ralph.js');
  // Standard input stays that of the person: the task may come from there, and it is read before the run begins.
  const child = spawn(process.execPath, [command, ...words], { cwd, env, detached: true, stdio: ['inherit', fd, fd] });
  closeSync(fd);
  let exitCode: number | null = null;
  child.once('error', () => (exitCode = 1));
  child.once('exit', (code) => (exitCode = code ?? 1));
  for (;;) {
    const isOver = exitCode !== null;
    const fresh = listRuns(state).filter((id) => !before.has(id));
    const runId = fresh.find((id) => {
      const holder = findHolder(layout, id);
      return isOver ? holder === null && wrote(draft, id) : holder?.owner?.pid === child.pid;
    });
    if (runId !== undefined) {
      const log = join(toRunPaths(layout.stateDir, runId).folder, 'output.log');
      renameSync(draft, log);
      child.unref();
      return { kind: 'running', runId, pid: child.pid ?? 0, log };
    }
    if (isOver) {
      const output = readFileSync(draft, 'utf8');
      rmSync(draft);
      return { kind: 'ended', exitCode: exitCode ?? 1, output };
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** A run may be over before anybody has looked: then its own words name it. They also name another run that kept it from beginning. */
function wrote(log: string, runId: string): boolean {
  return existsSync(log) && readFileSync(log, 'utf8').includes(runId);
}
