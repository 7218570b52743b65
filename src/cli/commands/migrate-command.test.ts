import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

const THEIRS = 'agent: claude\n';
const OURS = 'cli:\n  backend: claude\n';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-migrate-'));
  writeFileSync(join(folder, 'a.yml'), THEIRS);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function type(args: readonly string[], isTty = false) {
  const fake = createFakeContext({ isTty });
  const exitCode = await runCommandLine(['migrate', ...args], { ...fake.context, cwd: folder });
  return { exitCode, out: fake.out(), err: fake.err() };
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

it('names the file that was written as a shell takes it', async () => {
  expect((await type(['a.yml', '-o', 'new team.yml'])).err).toContain("Next: ralph validate 'new team.yml'\n");
});

describe('ralph migrate --write', () => {
  it('keeps what was kept before', async () => {
    writeFileSync(join(folder, 'a.yml.old'), 'precious');
    symlinkSync('nowhere', join(folder, 'a.yml.old2'));
    expect((await type(['a.yml', '--write'])).exitCode).toBe(0);
    expect([read('a.yml'), read('a.yml.old'), read('a.yml.old3')]).toEqual([OURS, 'precious', THEIRS]);
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'a.yml.old', 'a.yml.old2', 'a.yml.old3']);
  });

  it('keeps the mode, for the copy too', async () => {
    chmodSync(join(folder, 'a.yml'), 0o600);
    await type(['a.yml', '--write']);
    expect(['a.yml', 'a.yml.old'].map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('writes what a link leads to, and keeps the link', async () => {
    symlinkSync('a.yml', join(folder, 'link.yml'));
    await type(['link.yml', '--write']);
    expect(lstatSync(join(folder, 'link.yml')).isSymbolicLink()).toBe(true);
    expect([read('a.yml'), read('link.yml.old')]).toEqual([OURS, THEIRS]);
  });

  it('goes past a folder in the place of the copy', async () => {
    mkdirSync(join(folder, 'a.yml.old'));
    expect((await type(['a.yml', '--write'])).exitCode).toBe(0);
    expect(read('a.yml.old2')).toBe(THEIRS);
  });
});

describe('ralph migrate', () => {
  it('reads regular files of UTF-8 text alone', async () => {
    execFileSync('mkfifo', [join(folder, 'ff.fifo')]);
    writeFileSync(join(folder, 'latin.yml'), Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
    mkdirSync(join(folder, 'folder'));
    for (const name of ['ff.fifo', '/dev/zero', 'latin.yml', 'folder', 'missing.yml']) {
      const { exitCode, err } = await type([name]);
      expect([name, exitCode, err]).toEqual([name, 2, expect.stringMatching(/cannot be read: it is (no|not|a) /)]);
    }
  });

  it('does not write over a file, nor through a link to nowhere', async () => {
    symlinkSync('outside.yml', join(folder, 'link.yml'));
    writeFileSync(join(folder, 'b.yml'), 'mine');
    for (const name of ['b.yml', 'link.yml']) expect((await type(['a.yml', '-o', name])).exitCode).toBe(2);
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'b.yml', 'link.yml']);
    expect(read('b.yml')).toBe('mine');
  });

  it('refuses what has errors, with the findings', async () => {
    writeFileSync(join(folder, 'twice.yml'), 'agent: claude\nagent: codex\n');
    expect(await type(['twice.yml', '--write'])).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('twice.yml:2') });
    expect(readdirSync(folder)).not.toContain('twice.yml.old');
  });

  it('prints and writes what is ours already, and says so', async () => {
    writeFileSync(join(folder, 'ours.yml'), OURS);
    const { exitCode, out, err } = await type(['ours.yml', '-o', 'new.yml']);
    expect([exitCode, out, read('new.yml')]).toEqual([0, '', OURS]);
    expect(err).toContain('nothing to do, it is written our way.');
    expect((await type(['ours.yml'])).out).toBe(OURS);
    await type(['ours.yml', '--write']);
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'new.yml', 'ours.yml']);
  });

  it('writes a file that does not run yet, with what is left to mend, and fails', async () => {
    writeFileSync(
      join(folder, 'lost.yml'),
      'hats:\n  a: {triggers: [task.start, task.resume], publishes: [go]}\n  b: {triggers: [went]}\n',
    );
    const { exitCode, err } = await type(['lost.yml', '-o', 'new.yml']);
    expect(exitCode).toBe(1);
    expect(read('new.yml')).toBe(read('lost.yml'));
    expect(err).toContain('[event-orphan]');
    expect(err).toMatch(/errors are left: the text does not run before they are mended\.\n$/);
  });

  it('says what it cannot change', async () => {
    writeFileSync(join(folder, 'merge.yml'), 'base: &b {timeout: 5}\nhats: {a: {<<: *b, triggers: [task.start]}}\n');
    const { exitCode, out, err } = await type(['merge.yml']);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/hats\.a\.timeout[\s\S]*nothing was written\..*by hand/);
  });

  it('passes nothing on that steers a terminal', async () => {
    writeFileSync(
      join(folder, 'evil\u001b[31m.yml'),
      `agent: claude\nhats:\n  "a\\e[2J\\u202e": {triggers: [x], timeout: 5}\n# \u202e\u009b2J\n`,
    );
    const { err, out } = await type(['evil\u001b[31m.yml'], true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not get through
    expect(err + out).not.toMatch(/[\u001b\u009b\u202e]/);
    expect(err).toContain('hats.');
    writeFileSync(join(folder, 'ours\u001b[31m.yml'), OURS);
    expect((await type(['ours\u001b[31m.yml'])).err).toMatch(/^ours\.yml: nothing to do/);
  });
});
