import { closeSync, existsSync, fstatSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeNamedPipe, takeOutputPipe } from './output-pipe.ts';

it.skipIf(!existsSync('/dev/shm'))(
  'makes pipes in memory, so that a folder for temporary files that is slow, full or gone costs a turn nothing',
  () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/nowhere/at/all';
    try {
      const pipe = takeOutputPipe();
      expect(pipe && fstatSync(pipe.childFd).isFIFO()).toBe(true);
      if (pipe) closeSync(pipe.childFd);
      pipe?.discard();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  },
);

it.skipIf(process.platform !== 'linux')('makes a named pipe together with those for outputs, and leaves nothing of them behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-named-'));
  const path = join(folder, 'pipe');
  try {
    expect(makeNamedPipe(path)).toBe(true);
    expect(lstatSync(path).isFIFO()).toBe(true);
    const pipe = takeOutputPipe();
    expect(pipe && fstatSync(pipe.childFd).isFIFO()).toBe(true);
    if (pipe) closeSync(pipe.childFd);
    pipe?.discard();
    const left = ['/dev/shm', tmpdir()].flatMap((place) => (existsSync(place) ? readdirSync(place) : []));
    expect(left.filter((name) => name.startsWith(`ralph-pipes-${process.pid}-`))).toEqual([]);
    expect(makeNamedPipe(join(folder, 'no-such-folder', 'pipe'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
