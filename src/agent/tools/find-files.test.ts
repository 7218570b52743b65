import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces, type TestPlace } from '../files/file-tool-fixtures.ts';
import { globTool } from './glob.ts';
import { listFilesTool } from './list-files.ts';

afterAll(removePlaces);

function createTree(): TestPlace {
  const place = createPlace();
  const files = [
    'b.ts',
    'a.ts',
    'src/c.ts',
    'src/deep/d.ts',
    'src/deep/d.js',
    'dist/out.ts',
    'node_modules/m/i.ts',
    '.hidden.ts',
    '.git/config',
    '.ralph/x.ts',
  ];
  for (const [index, file] of files.entries()) utimesSync(place.write(file, 'x'), 1000 + index, 1000 + index);
  place.write('.gitignore', 'dist/\n*.log\n!keep.log\n');
  return place;
}

describe('list_files', () => {
  it('lists a folder by name, with folders and links told apart', async () => {
    const place = createTree();
    symlinkSync(place.outside, join(place.workspace, 'link'));
    execFileSync('mkfifo', [join(place.workspace, 'pipe')]);
    expect((await place.run(listFilesTool, {})).text.split('\n')).toEqual([
      '.git/',
      '.gitignore',
      '.hidden.ts',
      '.ralph/',
      'a.ts',
      'b.ts',
      'dist/',
      `link -> ${place.outside}`,
      'node_modules/',
      'pipe (no regular file)',
      'src/',
    ]);
  });

  it('goes down as far as it is told, leaves out what it is told, and never enters a repository or a link', async () => {
    const place = createTree();
    symlinkSync(place.outside, join(place.workspace, 'link'));
    const { text } = await place.run(listFilesTool, { depth: 9, ignore: ['node_modules/', '*.js', 'src/c.*'] });
    expect(text.split('\n')).toEqual(expect.arrayContaining(['src/', 'src/deep/', 'src/deep/d.ts', '.git/']));
    expect(text).not.toMatch(/config|d\.js|c\.ts|node_modules|secret/);
  });

  it('says that there are more', async () => {
    const place = createTree();
    expect((await place.run(listFilesTool, { limit: 2 })).text).toContain('[Only the first 2 names');
  });

  it('says what is wrong with a path that is no folder', async () => {
    const place = createTree();
    expect((await place.run(listFilesTool, { path: 'a.ts' })).text).toContain('is a file, not a folder');
    expect((await place.run(listFilesTool, { path: 'scr' })).text).toContain('Did you mean "src"?');
    expect((await place.run(listFilesTool, { ignore: ['../x'] })).text).toContain('leads upwards');
  });

  it('shows a folder of strange names without obeying them', async () => {
    const place = createPlace();
    place.write('a\u001b[2Jb\nc', 'x');
    expect((await place.run(listFilesTool, {})).text).toBe('a\uFFFD[2Jb\uFFFDc');
    expect((await createPlace().run(listFilesTool, {})).text).toContain('is empty');
  });
});

describe('glob', () => {
  it('finds files, the latest changed first, without what is ignored', async () => {
    const place = createTree();
    expect((await place.run(globTool, { pattern: '**/*.ts' })).text.split('\n')).toEqual([
      '.hidden.ts',
      'src/deep/d.ts',
      'src/c.ts',
      'a.ts',
      'b.ts',
    ]);
    expect((await place.run(globTool, { pattern: '*.ts' })).text.split('\n')).toEqual(['.hidden.ts', 'a.ts', 'b.ts']);
    expect((await place.run(globTool, { pattern: '**/*.{js,mjs}', path: 'src' })).text).toBe('src/deep/d.js');
  });

  it('finds what is ignored when it is asked for, or when its folder is', async () => {
    const place = createTree();
    expect((await place.run(globTool, { pattern: '**/*.ts', include_ignored: true })).text.split('\n')).toEqual(
      expect.arrayContaining(['dist/out.ts', 'node_modules/m/i.ts']),
    );
    expect((await place.run(globTool, { pattern: '*.ts', path: 'dist' })).text).toBe('dist/out.ts');
    expect((await place.run(globTool, { pattern: '**/*.ts', path: 'node_modules' })).text).toBe('node_modules/m/i.ts');
  });

  it('goes by the nearest rule for a file', async () => {
    const place = createTree();
    for (const path of ['x.log', 'keep.log', 'src/y.log', 'src/keep.log']) place.write(path, 'x');
    place.write('src/.gitignore', 'keep.log\n!y.log\n');
    expect((await place.run(globTool, { pattern: '**/*.log' })).text.split('\n').toSorted()).toEqual(['keep.log', 'src/y.log']);
    expect((await place.run(globTool, { pattern: '*.log', path: 'src' })).text).toBe('src/y.log');
  });

  it('takes parentheses, plus and bang as they are', async () => {
    const place = createPlace();
    for (const path of ['app/(group)/page.ts', 'a+b.ts', '!x.ts', 'c++/a.ts', '$id.ts']) place.write(path, 'x');
    for (const pattern of ['app/(group)/*.ts', 'a+b.*', '!x.ts', 'c++/*', '$id.ts']) {
      expect((await place.run(globTool, { pattern })).text.split('\n'), pattern).toHaveLength(1);
      expect((await place.run(globTool, { pattern })).text, pattern).not.toContain('No files');
    }
  });

  it('follows no link, and stops at its limit', async () => {
    const place = createPlace();
    symlinkSync(place.outside, join(place.workspace, 'link'));
    mkdirSync(join(place.workspace, 'a'));
    symlinkSync('..', join(place.workspace, 'a/up'));
    for (let index = 0; index < 5; index += 1) place.write(`f${index}.txt`, 'x');
    const { text } = await place.run(globTool, { pattern: '**/*.txt', limit: 3 });
    expect(text.split('\n')).toHaveLength(4);
    expect(text).toContain('[3 of 5 files');
    expect(text).not.toContain('secret');
  });

  it.each(['/etc/*', '../*', 'a/../../*', '', '*a*a*a*a*a*a*b', '**/a/**/b/**/c/**/d/**/e', 'x'.repeat(600), 'a\0'])(
    'refuses %j with advice',
    async (pattern) => {
      const { isError, text } = await createPlace().run(globTool, { pattern });
      expect([isError, text.split('\n').length]).toEqual([true, 2]);
    },
  );

  it('says what to try when nothing is found', async () => {
    const place = createTree();
    expect((await place.run(globTool, { pattern: 'c.ts' })).text).toContain('To look in the folders below as well: "**/c.ts"');
    expect((await place.run(globTool, { pattern: '**/*.zig' })).text).toBe('No files match "**/*.zig" in ..');
    expect((await place.run(globTool, { pattern: '*', path: 'a.ts' })).isError).toBe(true);
  });
});
