import { toTurnName } from '../core/run/turn.ts';
import { tryOr } from '../core/values/result.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { listNames } from '../process/paths.ts';
import { readRunFile } from './run-file.ts';

/** The turns of a run, such as `7.1`, in the order in which their work came into the folder: that of their numbers, but for turns that ran at the same time. */
export function listTurnNames(paths: Pick<RunPaths, 'turns' | 'settings' | 'journal'>): readonly string[] {
  const names = listNames(paths.turns).filter((name) => /^\d+\.\d+$/.test(name));
  const numbered = names.sort(byNumber);
  if (names.length === 0 || !mayOverlap(paths)) return numbered;
  const ended = listEnded(paths).filter((name) => numbered.includes(name));
  return [...ended, ...numbered.filter((name) => !ended.includes(name))];
}

/** Whether turns of the run may have run at the same time. That its file cannot be read is told by whoever needs it. */
function mayOverlap({ settings }: Pick<RunPaths, 'settings'>): boolean {
  return tryOr(() => {
    const { maxParallel, hats } = readRunFile(settings).settings.spec;
    return maxParallel !== undefined || (hats ?? []).some(({ parallel }) => parallel !== undefined);
  }, false);
}

function byNumber(one: string, other: string): number {
  const [iteration = 0, attempt = 0] = one.split('.').map(Number);
  const [otherIteration = 0, otherAttempt = 0] = other.split('.').map(Number);
  return iteration - otherIteration || attempt - otherAttempt;
}

/** As the journal tells it. What a process left behind that died is brought in by the next, turn by turn. */
function listEnded({ journal }: Pick<RunPaths, 'journal'>): readonly string[] {
  const ended: string[] = [];
  const open = new Set<string>();
  readJournal({ fs: nodeFileSystem, path: journal }, ({ input }) => {
    if (input.type === 'iteration-spawned') open.add(toTurnName(input));
    if (input.type === 'iteration-ended') {
      open.delete(toTurnName(input));
      ended.push(toTurnName(input));
    }
    if (input.type !== 'run-resumed') return;
    ended.push(...[...open].sort(byNumber));
    open.clear();
  });
  return ended;
}
