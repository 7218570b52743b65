import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findSeatbelt } from './find-os-sandbox.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A program that stands for `sandbox-exec -p PROFILE COMMAND…`. */
function createProgram(script: string): { readonly path: string; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-seatbelt-'));
  folders.push(folder);
  const path = join(folder, 'sandbox-exec');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { path, folder };
}

describe('the sandbox of macOS', () => {
  it.each([
    ['does not understand the profile', 'echo "bad profile" >&2; exit 65', 'bad profile'],
    ['keeps nothing from being read', 'shift 2; exec "$@"', 'does not keep a program from reading'],
  ])('is not there when it %s', async (_, script, why) => {
    const { path, folder } = createProgram(script);
    expect(await findSeatbelt(path, process.env, folder)).toMatchObject({ found: null, why: expect.stringContaining(why) as unknown });
  });

  it('is not there when its program is missing', async () => {
    expect(await findSeatbelt('/nonexistent/sandbox-exec', process.env, '/')).toMatchObject({ found: null });
  });

  it('is there when the command runs and what is denied cannot be read', async () => {
    const { path, folder } = createProgram('shift 2; rm -rf "$4"; exec "$@"');
    expect(await findSeatbelt(path, process.env, folder)).toMatchObject({ found: { kind: 'seatbelt', path } });
  });
});
