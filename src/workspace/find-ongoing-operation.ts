import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What git leaves in its folder while an operation waits to be continued. */
const traces = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
] as const;

/** The operation that is under way in a repository, such as `a rebase`; undefined when there is none. */
export function findOngoingOperation(gitDir: string): string | undefined {
  return traces.find(([name]) => existsSync(join(gitDir, name)))?.[1];
}
