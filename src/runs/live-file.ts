import { closeSync, constants, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../core/run/run-record.ts';
import { parseJson } from '../core/values/json.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { Clock } from '../ports/clock.ts';
import { createLiveFold, type LiveView, parseLiveView } from '../views/fold/fold-live-view.ts';

const FILE = 'live.json';
/** What is written is far smaller; what is larger is not ours. */
const MAX_BYTES = 64 << 10;
/** The file is written at most so often. */
const PERIOD_MS = 1000;

/** Keeps a file beside the journal that says what goes on between two inputs. It is a convenience, never the truth: nothing is decided on it. */
export interface LiveFile {
  readonly observe: (record: RunRecord) => void;
  /** Removes it: the run has ended. */
  readonly close: () => void;
}

/** For `ralph status` in another terminal. A file that cannot be written is no reason for anything. */
export function openLiveFile(runFolder: string, clock: Clock): LiveFile {
  const path = join(runFolder, FILE);
  const fold = createLiveFold(clock.now);
  let written = fold.view();
  let cancel: (() => void) | null = null;
  const write = (): void => {
    cancel = null;
    written = fold.view();
    quietly(() => {
      writeFileSync(`${path}.tmp`, JSON.stringify(written));
      renameSync(`${path}.tmp`, path);
    });
  };
  return {
    observe: (record) => {
      fold.take(record);
      if (fold.view() !== written) cancel ??= clock.setTimer(clock.now() + PERIOD_MS, write);
    },
    close: () => {
      cancel?.();
      for (const name of [path, `${path}.tmp`]) quietly(() => rmSync(name, { force: true }));
    },
  };
}

/** What that file says; `null` where there is none, or none that can be read. */
export function readLiveFile(runFolder: string): LiveView | null {
  return tryOr(() => parseLiveView(parseJson(readBeginning(join(runFolder, FILE)))), null);
}

function readBeginning(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(handle);
  }
}
