import type { FileSystem } from '../../src/journal/index.ts';
import { interceptCalls, toSystemError } from './memory-disk.ts';

/** Which calls fail, and how. `short-write`: the call, if it is a write, takes half of the bytes, and the next write fails with `ENOSPC`. */
export interface FailurePlan {
  readonly code: 'ENOSPC' | 'EIO' | 'EMFILE' | 'short-write';
  /** The first call that fails: 1, 2, … */
  readonly at: number;
  /** How many fail in a row. */
  readonly count: number;
}

/** The same file system, whose planned calls fail as a disk fails. */
export function createFailingCalls(fs: FileSystem, plan: FailurePlan): FileSystem {
  let calls = 0;
  let isFull = false;
  const isPlanned = (): boolean => calls >= plan.at && calls < plan.at + plan.count;
  const failing = interceptCalls(fs, (method) => {
    calls += 1;
    if (plan.code !== 'short-write' && isPlanned()) throw toSystemError(plan.code, `planned failure of ${method} at call ${calls}`);
  });
  if (plan.code !== 'short-write') return failing;
  return {
    ...failing,
    write(handle, bytes) {
      if (isFull) {
        isFull = false;
        throw toSystemError('ENOSPC', 'planned failure after a short write');
      }
      calls += 1;
      if (!isPlanned() || bytes.length < 2) return fs.write(handle, bytes);
      isFull = true;
      return fs.write(handle, bytes.subarray(0, bytes.length >> 1));
    },
  };
}
