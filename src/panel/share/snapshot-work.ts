import { takeSnapshot } from './take-snapshot.ts';
import { readBase, toBasePath, WORKSPACE_LIMITS } from './workspace-base.ts';

/** What a snapshot of work lacks. */
export interface WorkSnapshot {
  /** There may be something that it does not show, so that it lacks a file does not mean that it was removed. */
  readonly leftOut: boolean;
  /** It lacks something because it holds no more. */
  readonly isTooLarge: boolean;
}

/**
 * Copies all that was made in a workspace. What is skipped is what was skipped when it was opened: by settings that are newer, what came along then and is
 * linked now would seem to have been removed.
 *
 * @throws RalphError `panel-workspace` where nobody knows what the workspace was made of; the system's error
 */
export async function snapshotWork(workspace: string, to: string): Promise<WorkSnapshot> {
  const { skipped } = await readBase(toBasePath(workspace));
  const { leftOut } = await takeSnapshot(workspace, to, { ...WORKSPACE_LIMITS, skipped });
  const isTooLarge = leftOut.reasons.some((why) => why === 'files' || why === 'bytes');
  // Behind what cannot be read may be anything. What else is left out hides no file: that one is not in the snapshot says that it was removed.
  return { leftOut: isTooLarge || leftOut.reasons.includes('unreadable'), isTooLarge };
}
