import { closeSync, existsSync, fstatSync } from 'node:fs';
import { expect, it } from 'vitest';
import { takeOutputPipe } from './output-pipe.ts';

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
