import { readFileSync } from 'node:fs';
import { isJsonObject, parseJson } from '../core/index.ts';
import type { Layout } from './layout.ts';
import { findWorkspaceHolder, toWorkspaceLock } from './run-lock.ts';

/** The run whose process died over a workspace's lock; `null` when it was left in order, or somebody alive has it. */
export function findStaleOwner(layout: Layout, worktree: string | null): string | null {
  if (findWorkspaceHolder(layout, worktree) !== null) return null;
  try {
    const value = parseJson(readFileSync(toWorkspaceLock(layout, worktree), 'utf8'));
    const runId = isJsonObject(value) ? value['runId'] : null;
    return typeof runId === 'string' && runId !== '' ? runId : null;
  } catch {
    return null;
  }
}
