import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOwnedFolder, sweepOwnedFolders } from './owned-folders.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'ralph-owned-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** The pid of a process that has ended. */
const DEAD = spawnSync('true').pid;

/** As another process would have made it. */
function leave(owner: { readonly pid: number; readonly namespace?: string }): string {
  const [, namespace = '', , random = ''] = /^x-(\d+)-(\d+)-(\w+)$/.exec(basename(makeOwnedFolder(parent, 'x-'))) ?? [];
  rmSync(join(parent, `x-${namespace}-${process.pid}-${random}`), { recursive: true });
  const name = `x-${owner.namespace ?? namespace}-${owner.pid}-${random}`;
  mkdirSync(join(parent, name));
  writeFileSync(join(parent, name, 'left.txt'), '');
  return name;
}

describe('the folders of short works', () => {
  it('are swept when their maker is dead, and nobody else’s', () => {
    leave({ pid: DEAD });
    const mine = basename(makeOwnedFolder(parent, 'x-'));
    const elsewhere = leave({ pid: DEAD, namespace: '1' });
    for (const name of ['x-notes', 'y-1-1-abcdef']) mkdirSync(join(parent, name));
    sweepOwnedFolders(parent, 'x-');
    expect(readdirSync(parent).sort()).toEqual([mine, elsewhere, 'x-notes', 'y-1-1-abcdef'].sort());
  });

  it('of a process namespace that cannot be seen from here are swept after a day', () => {
    const name = leave({ pid: DEAD, namespace: '1' });
    const before = new Date(Date.now() - 25 * 60 * 60 * 1000);
    utimesSync(join(parent, name), before, before);
    sweepOwnedFolders(parent, 'x-');
    expect(readdirSync(parent)).toEqual([]);
  });

  it('need no parent to be swept', () => {
    expect(() => sweepOwnedFolders(join(parent, 'none'), 'x-')).not.toThrow();
  });
});
