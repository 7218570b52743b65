import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeChanges } from './describe-changes.ts';
import { type Pins, pinFiles } from './pin-files.ts';

let cwd = '';
let outside = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-pins-'));
  outside = mkdtempSync(join(tmpdir(), 'ralph-outside-'));
  writeFileSync(join(outside, 'key'), 'PRIVATE KEY\n');
  write('test.config.ts', 'strict: true\ntimeout: 5\n');
  write('ci/build.yml', 'run: npm test\n');
  write('src/code.ts', 'code\n');
});

afterEach(() => {
  for (const folder of [cwd, outside]) rmSync(folder, { recursive: true, force: true });
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

  it.each<[string, () => void]>([
    ['itself', () => symlinkSync(join(outside, 'key'), join(cwd, 'ci/build.yml'))],
    [
      'by way of another link',
      () => {
        symlinkSync(join(outside, 'key'), join(cwd, 'src/way'));
        symlinkSync('../src/way', join(cwd, 'ci/build.yml'));
      },
    ],
    [
      'by way of a folder',
      () => {
        symlinkSync(outside, join(cwd, 'src/way'));
        symlinkSync('../src/way/key', join(cwd, 'ci/build.yml'));
      },
    ],
  ])('that become a link out of the workspace, %s, are told by where it leads, and nothing of what it holds is kept', async (_, link) => {
    const before = await pin();
    unlinkSync(join(cwd, 'ci/build.yml'));
    link();
    const now = await pin();
    expect(describeChanges(before, now)).toContain('changed: ci/build.yml (it was a file, now a symbolic link to ');
    expect(describeChanges(before, now) + JSON.stringify(now)).not.toContain('PRIVATE');
  });

  it('in a folder that became a link out of the workspace are told by where it leads, without the names and the content there', async () => {
    write('ci/deep/key', 'mine\n');
    const globs = ['ci/deep/*'];
    const before = await pin(globs);
    rmSync(join(cwd, 'ci'), { recursive: true });
    mkdirSync(join(outside, 'deep'));
    for (const name of ['key', 'diary']) writeFileSync(join(outside, 'deep', name), 'PRIVATE KEY\n');
    symlinkSync(outside, join(cwd, 'ci'));
    const now = await pin(globs);
    const text = describeChanges(before, now);
    expect(text).toContain(`changed: ci/deep/key (it was a file, now a file behind ci, a symbolic link to ${outside})`);
    expect(text).toContain(`added: files behind ci, a symbolic link to ${outside}`);
    expect(text).not.toContain('diary');
    expect(text + JSON.stringify(now)).not.toContain('PRIVATE');
  });

  it('in a folder that moved out of the workspace count as changed though they hold the same', async () => {
    writeFileSync(join(outside, 'build.yml'), 'run: npm test\n');
    const text = await said(() => {
      rmSync(join(cwd, 'ci'), { recursive: true });
      symlinkSync(outside, join(cwd, 'ci'));
    }, ['ci/build.yml']);
    expect(text).toContain(`changed: ci/build.yml (it was a file, now a file behind ci, a symbolic link to ${outside})`);
  });

  it('behind a link that led out of the workspace from the start are compared, and never shown', async () => {
    symlinkSync(join(outside, 'key'), join(cwd, 'ci/link'));
    expect(await said(() => undefined)).toBe('');
    const text = await said(() => writeFileSync(join(outside, 'key'), 'PRIVATE too\n'));
    expect(text).toContain('changed: ci/link (no text, too long to show, or outside of the workspace)');
    expect(text).not.toContain('PRIVATE');
    expect(await said(() => unlinkSync(join(cwd, 'ci/link')))).toMatch(/removed: ci\/link$/);
  });

  it('are shown where the workspace itself is reached by a link', async () => {
    symlinkSync(cwd, join(outside, 'here'));
    const before = await pinFiles(join(outside, 'here'), ['ci/**']);
    write('ci/build.yml', 'run: true\n');
    expect(describeChanges(before ?? {}, (await pinFiles(join(outside, 'here'), ['ci/**'])) ?? {})).toContain('-run: npm test\n+run: true');
  });

  it('called like something that every object has are told like others', async () => {
    expect(await said(() => write('ci/constructor', 'x'))).toContain('added: ci/constructor');
    expect(await said(() => write('__proto__', 'x'), ['*_'])).toContain('added: __proto__');
  });
});
