import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeFileSystem } from './node-file-system.ts';

it.skipIf(process.platform === 'win32')('a pipe in the place of a file is an error, and holds nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-fs-'));
  const path = join(folder, 'pipe');
  try {
    execFileSync('mkfifo', [path]);
    expect(() => nodeFileSystem.open(path, 'append')).toThrow('ENXIO');
    const handle = nodeFileSystem.open(path, 'read');
    expect(() => nodeFileSystem.read(handle, Buffer.alloc(1), 0)).toThrow('ESPIPE');
    nodeFileSystem.close(handle);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
