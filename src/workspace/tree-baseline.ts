import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorCode } from '../core/index.ts';
import type { Repository } from './find-repository.ts';
import type { TreeRecord } from './tree-record.ts';

/** What a tree was like when a turn began, kept on the disk for a process that comes after this one. */
export interface TreeBaseline {
  /** Name of the turn. */
  readonly turn: string;
  readonly exempt: readonly string[];
  /** `null` outside git. */
  readonly git: BaselineGit | null;
  /** Without the contents of git's own files. */
  readonly before: TreeRecord;
}

interface BaselineGit {
  readonly place: Pick<Repository, 'top' | 'gitDir' | 'prefix'>;
  readonly commonDir: string;
  readonly lookFile: string;
  readonly submodules: readonly string[];
  readonly indexLook: string;
}

const FILE = 'watch.json';

/** Writes it. Throws the system error. */
export function saveBaseline(folder: string, { before, ...rest }: TreeBaseline): void {
  const { dirty, ignored, refs, guarded, nested, ...plain } = before;
  const record = {
    ...plain,
    dirty: [...dirty],
    ignored: [...ignored],
    refs: [...refs],
    guarded: [...guarded].map(([name, { file, version, mode }]) => [name, { file, version, mode, bytes: null }]),
    nested: [...nested],
  };
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${FILE}.draft`);
  writeFileSync(draft, JSON.stringify({ ...rest, before: record }), { mode: 0o600 });
  renameSync(draft, join(folder, FILE));
}

/** Reads what was written for a turn; `null` where there is none of it. Throws where it cannot be read. */
export function loadBaseline(folder: string, turn: string): TreeBaseline | null {
  const found = readBaseline(join(folder, FILE));
  if (found === null || found.turn !== turn) return null;
  const { dirty, ignored, refs, guarded, nested, ...plain } = found.before;
  const before = {
    ...plain,
    dirty: new Map(dirty),
    ignored: new Map(ignored),
    refs: new Map(refs),
    guarded: new Map(guarded),
    nested: new Map(nested),
  };
  return { ...found, before };
}

function readBaseline(file: string): TreeBaseline | null {
  try {
    // Written by Ralph alone, in the folder of the run: what somebody made of it shows as an error when it is used.
    return JSON.parse(readFileSync(file, 'utf8')) as TreeBaseline;
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
