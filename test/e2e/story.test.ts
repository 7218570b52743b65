/**
 * The evening and the morning of a person: one command, then a look and a landing. What the person has not committed (a change, a note, what `ralph init` wrote)
 * is nobody else's, and in nobody's way.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { git, makeRepository } from './git.ts';
import { makeFolder, ralph } from './ralph.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const PROJECT = {
  'package.json': '{"name": "shop", "scripts": {"test": "sh test.sh"}}\n',
  'test.sh': '[ "$(cat made.txt)" = good ] || { echo "not ok 1 - made.txt says $(cat made.txt)"; exit 1; }\n',
  'README.md': '# Shop\n',
  'made.txt': 'nothing\n',
  '.gitignore': 'node_modules/\n',
};
/** What the person has changed and not committed. */
const OWN = { 'README.md': '# Shop\n\nOpening hours.\n', 'notes.txt': 'Ask Ada.\n' };

const LIE = 'echo "All tests pass."; echo LOOP_COMPLETE';
const LIES_ONCE = `if [ "$(nth)" -gt 1 ]; then echo good > made.txt; fi; ${LIE}`;
const LIES_ALWAYS = `if [ "$(nth)" -eq 1 ]; then echo bad > made.txt; fi; ${LIE}`;

interface Evening {
  readonly cwd: string;
  /** What the person types; the text that comes of it. */
  readonly type: (...args: readonly string[]) => Promise<{ readonly code: number | null; readonly said: string }>;
  readonly read: (name: string) => string;
  /** All that the person can see of the folder. */
  readonly look: () => unknown;
}

/** A project with a red `npm test`, a person's own changes, and what `ralph init` writes, all of it not committed. */
async function beginEvening(body: string): Promise<Evening> {
  const programs = makeFolder({
    'agent.sh': `#!/bin/sh\nnth() { mkdir -p .agent; echo x >> .agent/turns; grep -c x .agent/turns; }\n${body}\n`,
  });
  const home = makeFolder({ '.gitconfig': '[user]\nname = Ann\nemail = ann@example.com\n' });
  const cwd = makeFolder(PROJECT);
  folders.push(programs, home, cwd);
  makeRepository(cwd);
  for (const [name, text] of Object.entries(OWN)) writeFileSync(join(cwd, name), text);
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const type = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await ralph(cwd, args, { HOME: home });
    return { code, said: stdout + stderr };
  };
  expect(await type('init', '--task', 'Make npm test pass.')).toMatchObject({ code: 0 });
  writeFileSync(
    join(cwd, 'ralph.yml'),
    read('ralph.yml').replace(/^# cli:\n.*\n/m, `cli:\n  backend: {command: ${join(programs, 'agent.sh')}}\n`),
  );
  const look = () => ({
    git: [git(cwd, 'rev-parse', 'main'), git(cwd, 'symbolic-ref', 'HEAD'), git(cwd, 'status', '--porcelain'), git(cwd, 'stash', 'list')],
    files: ['made.txt', 'ralph.yml', 'PROMPT.md', ...Object.keys(OWN)].map(read),
  });
  return { cwd, type, read, look };
}

describe('an evening and a morning', () => {
  it.each([['--worktree'], ...(SANDBOX.found === null ? [] : [['--safe']])])(
    'brings home what is proven after a lie was sent back, in four commands, and leaves no trace: %s',
    async (flag) => {
      const { cwd, type, read, look } = await beginEvening(LIES_ONCE);
      const before = look();
      const run = await type('run', '--no-tui', flag);
      expect(run, run.said).toMatchObject({ code: 0 });
      expect(run.said).toMatch(/not ok 1 - made.txt says nothing[\s\S]*Completed after 2 iterations/);
      expect(run.said).toMatch(/\nThe work is in \S+, a git worktree, in 1 commit\. Merge it: ralph land\n/);
      expect(look()).toEqual(before);

      const review = await type('review');
      expect(review.said).toMatch(/^Completed after 2 iterations .*[\s\S]*Evidence +passed npm test .*[\s\S]*Changed +1 file, .*made\.txt/);
      expect(review.said).toMatch(/Where +all is committed; on branch ralph\/[\s\S]*`ralph land`/);

      const land = await type('land', '--clean');
      expect(land, land.said).toMatchObject({ code: 0 });
      expect(read('made.txt')).toBe('good\n');
      expect(git(cwd, 'status', '--porcelain').split('\n')).toEqual([' M README.md', '?? PROMPT.md', '?? notes.txt', '?? ralph.yml']);
      expect(git(cwd, 'diff', '--name-only', 'main~1', 'main')).toBe('made.txt');
      expect(Object.keys(OWN).map(read)).toEqual(Object.values(OWN));
      expect([git(cwd, 'worktree', 'list').split('\n').length, git(cwd, 'branch', '--list', 'ralph/*')]).toEqual([1, '']);
    },
  );

  it('of an agent that only lies brings nothing home, and what it wrote can be thrown away', async () => {
    const { cwd, type, look } = await beginEvening(LIES_ALWAYS);
    const before = look();
    expect(await type('run', '--no-tui', '--worktree', 'night', '--max-iterations', '2')).toMatchObject({ code: 2 });
    expect((await type('review')).said).toMatch(/^Not completed \(max_iterations\)[\s\S]*Evidence +FAILED npm test/);
    const land = await type('land', '--clean');
    expect(land).toMatchObject({ code: 1, said: expect.stringContaining('has not completed (max_iterations), so it is not landed') });
    expect(look()).toEqual(before);
    expect(await type('undo', '--yes')).toMatchObject({ code: 0 });
    expect(look()).toEqual(before);
    expect(readFileSync(join(cwd, '.ralph/worktrees/night/made.txt'), 'utf8')).toBe('nothing\n');
  });

  it('lands nothing without what the run changed in files that have changes of the person', async () => {
    const { type, read, look } = await beginEvening(`echo more >> notes.txt; echo good > made.txt; ${LIE}`);
    const before = look();
    const run = await type('run', '--no-tui');
    expect(run.said).toMatch(/not committed there: 1 file\. Commit what you want to keep, then: ralph land\n/);
    expect((await type('review')).said).toContain('not committed: 1 file (notes.txt)');
    const land = await type('land');
    expect(land).toMatchObject({ code: 1, said: expect.stringMatching(/is not on its branch: notes\.txt\.\n +Why: .*changes of yours/) });
    expect([look(), read('notes.txt')]).toEqual([before, OWN['notes.txt']]);
  });

  it('keeps the worktree where it has the only copy of what was the person’s own', async () => {
    const { cwd, type } = await beginEvening(`echo good > made.txt; ${LIE}`);
    expect(await type('run', '--no-tui', '--worktree', 'night')).toMatchObject({ code: 0 });
    rmSync(join(cwd, 'notes.txt'));
    writeFileSync(join(cwd, 'README.md'), '# Shop\n\nOther hours.\n');
    const land = await type('land', '--clean');
    expect(land, land.said).toMatchObject({ code: 0, said: expect.stringContaining('notes.txt') });
    expect(land.said).not.toContain('README.md');
    expect(readFileSync(join(cwd, '.ralph/worktrees/night/notes.txt'), 'utf8')).toBe(OWN['notes.txt']);
  });
});
