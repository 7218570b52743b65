import { resolve, sep } from 'node:path';
import { listRuns, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import type { Layout } from './layout.ts';
import { readRunFile } from './run-file.ts';
import { findHolder } from './run-lock.ts';

/** The run under way that a person in this folder means: the one that works in it (the innermost), else the newest; `null`: none. */
export function findLivingRun(layout: Layout, cwd: string): string | null {
  const living = [...listRuns({ fs: nodeFileSystem, stateDir: layout.stateDir })]
    .reverse()
    .filter((runId) => findHolder(layout, runId) !== null);
  const here = `${resolve(cwd)}${sep}`;
  const around = living.map((runId) => ({ runId, length: toLengthAround(layout, runId, here) })).filter(({ length }) => length > 0);
  return around.sort((a, b) => b.length - a.length)[0]?.runId ?? living[0] ?? null;
}

/** 0: the run works elsewhere, or is just beginning. */
function toLengthAround(layout: Layout, runId: string, here: string): number {
  try {
    const { workspace } = readRunFile(toRunPaths(layout.stateDir, runId).settings);
    return here.startsWith(`${workspace}${sep}`) ? workspace.length : 0;
  } catch {
    return 0;
  }
}
