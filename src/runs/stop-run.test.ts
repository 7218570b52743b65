import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sender } from '../core/events/event.ts';
import { clearStopWish, createStopTaker, createWishReader, writeStopWish } from './stop-run.ts';

const SENDER: Sender = { pid: 7, user: 'ada', how: 'token' };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-stop-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing that names it by its path can remove it. */
function makeDeepFolder(path: string): void {
  const script = 'mkdir "$1" && cd "$1" && for i in $(seq 30); do n=$(printf %0200d 0); mkdir "$n" && cd -P "$n"; done';
  execFileSync('/bin/bash', ['-c', script, 'bash', path]);
}

describe('a wish to stop', () => {
  it('is taken once, with whose it is, and a stronger one after it', () => {
    const take = createWishReader(folder);
    expect(take()).toBeNull();
    writeStopWish(folder, 'after', SENDER);
    expect([take(), take()]).toEqual([{ wish: 'after', sender: SENDER, by: 'ralph stop' }, null]);
    writeStopWish(folder, 'now', SENDER);
    expect([take(), take()]).toEqual([{ wish: 'now', sender: SENDER, by: 'ralph stop' }, null]);
    expect(readdirSync(folder)).toEqual(['stop']);
  });

  it.each([
    ['view', 'stop in its view (ada, process 7, by token)'],
    ['page', 'stop on its page (ada, process 7, by token)'],
    [undefined, 'ralph stop (ada, process 7, by token)'],
  ] as const)('from %s is on record as %j', (face, by) => {
    const take = createStopTaker(
      folder,
      () => true,
      (how, who) => ({ type: 'stop-requested', at: 1, how, by: who }),
    );
    writeStopWish(folder, 'now', SENDER, face);
    expect(take()).toMatchObject({ how: 'interrupt', by });
  });

  it('is taken again where somebody else has the same one: whoever was refused must not speak for a person', () => {
    const take = createWishReader(folder);
    writeFileSync(join(folder, 'stop'), 'after\n');
    expect(take()).toEqual({ wish: 'after', sender: null, by: 'ralph stop' });
    writeStopWish(folder, 'after', SENDER);
    expect(take()).toEqual({ wish: 'after', sender: SENDER, by: 'ralph stop' });
  });

  it.each([
    ['a pipe', () => execFileSync('mkfifo', [join(folder, 'stop')])],
    ['a folder', () => mkdirSync(join(folder, 'stop'))],
    ['a folder that is nested deeper than a path may be long', () => makeDeepFolder(join(folder, 'stop'))],
    [
      'a link',
      () => {
        writeFileSync(join(folder, 'elsewhere'), `now\n${JSON.stringify(SENDER)}\n`);
        symlinkSync(join(folder, 'elsewhere'), join(folder, 'stop'));
      },
    ],
  ])('is not read from %s in its place, is written over it, and forgotten with it', (_what, put) => {
    put();
    const take = createWishReader(folder);
    expect(take()).toBeNull();
    writeStopWish(folder, 'now', SENDER);
    expect(take()).toEqual({ wish: 'now', sender: SENDER, by: 'ralph stop' });
    clearStopWish(folder);
    put();
    clearStopWish(folder);
    expect(readdirSync(folder).filter((name) => name !== 'elsewhere')).toEqual([]);
  });
});
