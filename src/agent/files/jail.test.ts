import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { accept } from '../../core/values/result.ts';
import { createPlace, removePlaces } from './file-tool-fixtures.ts';
import { createJail } from './jail.ts';

afterAll(removePlaces);

describe('reading', () => {
  it('is allowed in the workspace, by relative and absolute paths, also of what is not there yet', async () => {
    const { workspace, context } = createPlace();
    expect(await context.jail.resolveRead('a/b.txt')).toEqual(accept(join(workspace, 'a/b.txt')));
    expect(await context.jail.resolveRead(join(workspace, 'a'))).toEqual(accept(join(workspace, 'a')));
    expect(await context.jail.resolveRead('x/../y')).toEqual(accept(join(workspace, 'y')));
    expect(await context.jail.resolveRead('.')).toEqual(accept(workspace));
  });

  it('is allowed in the roots that were given, whether or not they exist by now', async () => {
    const { outside, context, workspace } = createPlace();
    const later = join(outside, 'later');
    const jail = createJail({ workspace, readRoots: [later], writeRoots: [], protectedPaths: [] });
    expect(await jail.resolveRead(join(later, 'x'))).toEqual(accept(join(later, 'x')));
    expect(await jail.resolveRead(join(outside, 'secret.txt'))).toHaveProperty('refused');
    expect(await context.jail.resolveRead(context.spillDir)).toEqual(accept(context.spillDir));
  });

  it('goes where links really lead', async () => {
    const { workspace, outside, context, write } = createPlace();
    write('real/file.txt', 'x');
    symlinkSync('real', join(workspace, 'inner'));
    symlinkSync(outside, join(workspace, 'outer'));
    expect(await context.jail.resolveRead('inner/file.txt')).toEqual(accept(join(workspace, 'real/file.txt')));
    expect(await context.jail.resolveRead('outer/secret.txt')).toMatchObject({
      refused: { reason: expect.stringContaining('outside of what may be read') },
    });
  });

  it('is refused for what a run keeps to itself, by whatever path', async () => {
    const { workspace, context, write } = createPlace();
    write('.ralph/runs/r1/settings.json', '{}');
    write('.ralph/runs/r1/evidence/1.log', 'x');
    write('.ralph/runs/r1/private/home/auth.json', '{}');
    symlinkSync('.ralph/runs', join(workspace, 'inner'));
    for (const path of ['.ralph/runs/r1/settings.json', 'inner/r1/settings.json', '.ralph/runs/r1/private/home/auth.json'])
      expect(await context.jail.resolveRead(path)).toMatchObject({ refused: { reason: expect.stringContaining('may hold keys') } });
    expect(await context.jail.resolveRead('.ralph/runs/r1/evidence/1.log')).toHaveProperty('value');
    expect(await context.jail.resolveRead('runs/r1/settings.json')).toHaveProperty('value');
  });

  it('takes a workspace that is reached by a link', async () => {
    const { base, workspace, write } = createPlace();
    write('a.txt', 'x');
    symlinkSync(workspace, join(base, 'link'));
    const jail = createJail({
      workspace: join(base, 'link'),
      readRoots: [],
      writeRoots: [join(base, 'link')],
      protectedPaths: [join(base, 'link/.ralph')],
    });
    expect(await jail.resolveRead(join(base, 'link/a.txt'))).toEqual(accept(join(workspace, 'a.txt')));
    expect(await jail.resolveWrite('a.txt')).toEqual(accept(join(workspace, 'a.txt')));
    expect(await jail.resolveWrite('.ralph/x')).toHaveProperty('refused');
  });

  it('tells a folder from one whose name only begins alike', async () => {
    const { base, context } = createPlace();
    mkdirSync(join(base, 'work-too'));
    expect(await context.jail.resolveRead('../work-too')).toHaveProperty('refused');
  });
});

describe('writing', () => {
  it('is allowed in write roots only', async () => {
    const { workspace, outside } = createPlace();
    const jail = createJail({ workspace, readRoots: [outside], writeRoots: ['src'], protectedPaths: [] });
    expect(await jail.resolveWrite('src/a')).toEqual(accept(join(workspace, 'src/a')));
    expect(await jail.resolveWrite('other')).toHaveProperty('refused');
    expect(await jail.resolveWrite(join(outside, 'x'))).toHaveProperty('refused');
  });

  it('is left to a hat that reads only in .agent and in roots of their own', async () => {
    const { context, workspace } = createPlace({ isReadOnly: true, writeRoots: ['.', 'notes.md'] });
    expect(await context.jail.resolveWrite('src/a')).toMatchObject({ refused: { reason: expect.stringContaining('this hat reads only') } });
    expect(await context.jail.resolveWrite('.agent/x')).toEqual(accept(join(workspace, '.agent/x')));
    expect(await context.jail.resolveWrite('notes.md')).toEqual(accept(join(workspace, 'notes.md')));
  });

  it.each([
    '.git/config',
    'sub/.git/hooks/pre-commit',
    '.git',
    '.GIT/config',
    'x/.Git/y',
    '.git./config',
    '.git /config',
    'git~1/config',
    '.g\u200cit/config',
  ])('is refused in a repository’s own folder (%s)', async (path) => {
    const { context } = createPlace();
    expect(await context.jail.resolveWrite(path)).toMatchObject({ refused: { reason: expect.any(String), advice: expect.any(String) } });
  });

  it.each(['.gitignore', '.github/workflows/a.yml', 'git/x', '.gitattributes', 'src/.git-keep', 'a.git/x'])(
    'is allowed beside it (%s)',
    async (path) => {
      const { context } = createPlace();
      expect(await context.jail.resolveWrite(path)).toHaveProperty('value');
    },
  );

  it.each(['.ralph/x', '.RALPH/x', '.ralph', 'a/../.ralph/runs/1', '.ralph./x'])('is refused in the state folder (%s)', async (path) => {
    const { context } = createPlace();
    expect(await context.jail.resolveWrite(path)).toMatchObject({ refused: { reason: expect.stringContaining('protected') } });
  });

  it('is allowed in a workspace that lies in a protected folder, though not in that folder', async () => {
    const { base } = createPlace();
    const tree = join(base, 'outside/.ralph/worktrees/one');
    mkdirSync(tree, { recursive: true });
    const state = join(base, 'outside/.ralph');
    const jail = createJail({ workspace: tree, readRoots: [], writeRoots: [tree, join(base, 'outside')], protectedPaths: [state] });
    expect(await jail.resolveWrite('src/a')).toEqual(accept(join(tree, 'src/a')));
    expect(await jail.resolveWrite('.ralph/a')).toHaveProperty('refused');
    expect(await jail.resolveWrite('../two/a')).toHaveProperty('refused');
    expect(await jail.resolveWrite(join(base, 'outside/free'))).toHaveProperty('value');
  });

  it('is refused where a link hides what is protected', async () => {
    const { context, workspace } = createPlace();
    mkdirSync(join(workspace, '.git'));
    mkdirSync(join(workspace, '.ralph'));
    symlinkSync('.git', join(workspace, 'innocent'));
    symlinkSync('.ralph', join(workspace, 'state'));
    expect(await context.jail.resolveWrite('innocent/config')).toHaveProperty('refused');
    expect(await context.jail.resolveWrite('state/journal')).toHaveProperty('refused');
  });

  it('is refused in a repository whose folder has another name', async () => {
    const { context, write } = createPlace();
    for (const name of ['HEAD', 'objects/x', 'refs/x']) write(`meta/${name}`, 'x');
    write('.git', 'gitdir: meta\n');
    expect(await context.jail.resolveWrite('meta/hooks/pre-commit')).toHaveProperty('refused');
    expect(await context.jail.resolveWrite('.git')).toHaveProperty('refused');
  });

  it('knows a protected folder by what it is, not only by its name', async () => {
    const { context, workspace } = createPlace({ protectedPaths: ['state'] });
    mkdirSync(join(workspace, 'state'));
    // The name that was protected leads elsewhere meanwhile; the folder itself has moved.
    renameSync(join(workspace, 'state'), join(workspace, 'renamed'));
    symlinkSync(join(workspace, 'renamed'), join(workspace, 'state'));
    expect(await context.jail.resolveWrite('renamed/journal')).toHaveProperty('refused');
  });

  it('is refused through a link that leads to nothing, and through a root that became a link', async () => {
    const { context, workspace, outside } = createPlace();
    symlinkSync(join(outside, 'new.txt'), join(workspace, 'dangling'));
    symlinkSync(outside, join(workspace, '.agent'));
    expect(await context.jail.resolveWrite('dangling')).toMatchObject({ refused: { reason: expect.stringContaining('leads to nothing') } });
    expect(await context.jail.resolveWrite('.agent/scratchpad.md')).toHaveProperty('refused');
  });
});

describe('any path', () => {
  it.each([
    ['', 'empty'],
    [' ', 'empty'],
    ['a\0b', 'NUL'],
    ['a\nb', 'control characters'],
    ['a\u001b[31m', 'control characters'],
    ['a\u202eb', 'control characters'],
    ['a\ud800', 'half of a character'],
    ['~/x', 'home folder'],
    ['..\\x', 'backslashes'],
    ['x'.repeat(256), 'longer than 255'],
    ['x/'.repeat(3000), 'longer than 4096'],
  ])('that cannot be meant is refused: %j', async (path, why) => {
    const { context } = createPlace();
    for (const resolve of [context.jail.resolveRead, context.jail.resolveWrite]) {
      expect(await resolve(path)).toMatchObject({
        refused: { reason: expect.stringContaining(why), advice: expect.stringMatching(/\.$/) },
      });
    }
  });

  it('never leads out of the workspace, whatever it is made of', async () => {
    const { context, workspace, outside, base } = createPlace();
    symlinkSync(outside, join(workspace, 'out'));
    symlinkSync('..', join(workspace, 'up'));
    symlinkSync('self', join(workspace, 'self'));
    mkdirSync(join(workspace, 'in'));
    symlinkSync('../in', join(workspace, 'in/loop'));
    writeFileSync(join(workspace, 'file'), 'x');
    const name = fc.constantFrom(
      '..',
      '.',
      'in',
      'out',
      'up',
      'self',
      'loop',
      'file',
      'new',
      'secret.txt',
      'work',
      '',
      '.git',
      base,
      outside,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 7 }), async (names) => {
        const path = names.join('/');
        for (const verdict of [await context.jail.resolveRead(path), await context.jail.resolveWrite(path)]) {
          if (verdict.ok) expect(`${verdict.value}/`.startsWith(`${workspace}/`)).toBe(true);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('is shown relative to the workspace where it is in it', () => {
    const { context, workspace, outside } = createPlace();
    expect(context.jail.toShown(join(workspace, 'a/b'))).toBe('a/b');
    expect(context.jail.toShown(workspace)).toBe('.');
    expect(context.jail.toShown(outside)).toBe(outside);
  });
});
