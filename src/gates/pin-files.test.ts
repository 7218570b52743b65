import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeChanges } from './check-protected.ts';
import { type Pins, pinFiles } from './pin-files.ts';

let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-pins-'));
  write('test.config.ts', 'strict: true\ntimeout: 5\n');
  write('ci/build.yml', 'run: npm test\n');
  write('src/code.ts', 'code\n');
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function write(path: string, text: string | Buffer): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

async function pin(globs = ['test.config.*', 'ci/**']): Promise<Pins> {
  const pins = await pinFiles(cwd, globs);
  if (pins === null) throw new Error('too much');
  return pins;
}

/** What is said of a change. */
async function said(change: () => void, globs?: string[]): Promise<string> {
  const before = await pin(globs);
  change();
  return describeChanges(before, await pin(globs));
}

describe('protected files', () => {
  it('are those that the globs name', async () => {
    expect(Object.keys(await pin())).toEqual(['ci/build.yml', 'test.config.ts']);
  });

  it('that stay as they are raise nothing', async () => {
    expect(await said(() => write('src/code.ts', 'other\n'))).toBe('');
    expect(await said(() => write('test.config.ts', 'strict: true\ntimeout: 5\n'))).toBe('');
  });

  it('that change are told with the difference', async () => {
    expect(await said(() => write('test.config.ts', 'strict: false\ntimeout: 5\n'))).toMatch(
      /changed: test\.config\.ts\n-strict: true\n\+strict: false\n timeout: 5$/,
    );
  });

  it('that are added or removed are told', async () => {
    expect(await said(() => write('ci/skip.yml', 'x'))).toContain('added: ci/skip.yml');
    expect(await said(() => unlinkSync(join(cwd, 'ci/build.yml')))).toContain('removed: ci/build.yml; it held:\n-run: npm test');
  });

  it.each<[string, () => void, string]>([
    ['executable', () => chmodSync(join(cwd, 'ci/build.yml'), 0o755), 'a file, now an executable file'],
    [
      'a link to the same text',
      () => {
        write('same', 'run: npm test\n');
        unlinkSync(join(cwd, 'ci/build.yml'));
        symlinkSync('../same', join(cwd, 'ci/build.yml'));
      },
      'a file, now a symbolic link to ../same',
    ],
    [
      'a link to nothing that can be read',
      () => {
        unlinkSync(join(cwd, 'ci/build.yml'));
        symlinkSync('/dev/null', join(cwd, 'ci/build.yml'));
      },
      'a file, now a symbolic link to /dev/null',
    ],
  ])('that become %s are told', async (_what, change, words) => {
    expect(await said(change)).toContain(`changed: ci/build.yml (it was ${words})`);
  });

  it('that become a link to another text are told with the difference', async () => {
    write('easy', 'run: true\n');
    const text = await said(() => {
      unlinkSync(join(cwd, 'ci/build.yml'));
      symlinkSync('../easy', join(cwd, 'ci/build.yml'));
    });
    expect(text).toContain('(it was a file, now a symbolic link to ../easy)\n-run: npm test\n+run: true');
  });

  it('behind a link are told when what it holds changes', async () => {
    write('real', 'a\n');
    symlinkSync('../real', join(cwd, 'ci/link'));
    expect(await said(() => write('real', 'b\n'))).toContain('changed: ci/link\n-a\n+b');
  });

  it('in a folder that became a link elsewhere are told as removed', async () => {
    write('other/build.yml', 'run: npm test\n');
    const text = await said(() => {
      rmSync(join(cwd, 'ci'), { recursive: true });
      symlinkSync('other', join(cwd, 'ci'));
    });
    expect(text).toContain('removed: ci/build.yml');
  });

  it('that are no text are told without a difference', async () => {
    write('ci/image.png', Buffer.from([0, 1, 2]));
    expect(await said(() => write('ci/image.png', Buffer.from([0, 1, 3])))).toContain('changed: ci/image.png (no text');
  });

  it('outside of the workspace are not looked at', async () => {
    expect(await pin(['/etc/passwd', '../**', '../*'])).toEqual({});
  });

  it('called like something that every object has are told like others', async () => {
    expect(await said(() => write('ci/constructor', 'x'))).toContain('added: ci/constructor');
    expect(await said(() => write('__proto__', 'x'), ['*_'])).toContain('added: __proto__');
  });
});
