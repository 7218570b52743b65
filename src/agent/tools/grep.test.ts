import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces, type TestPlace } from '../files/file-tool-fixtures.ts';
import { grepTool } from './grep.ts';

afterAll(removePlaces);

// Where ripgrep is on this machine, if it is.
const foldersWithRipgrep = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => existsSync(join(folder, 'rg')));

/** How it searches, and the PATH for that. */
const ways: readonly (readonly [string, string])[] = [
  ['by itself', ''],
  ...foldersWithRipgrep.map((folder) => ['with ripgrep', folder] as const),
];

function createTree(): TestPlace {
  const place = createPlace();
  place.write('a.ts', 'alpha\nBeta (x)\n\tgamma alpha\n');
  place.write('src/b.ts', 'one\ntwo alpha\nthree\nfour\nfive\nsix\nseven alpha\r\n');
  place.write('src/c.md', '# alpha\n');
  place.write('ignored/d.ts', 'alpha\n');
  place.write('node_modules/e.ts', 'alpha\n');
  place.write('.git/f', 'alpha\n');
  place.write('.ralph/g', 'alpha\n');
  place.write('.gitignore', 'ignored/\n');
  place.write('binary', 'alpha\0beta\n');
  symlinkSync(place.outside, join(place.workspace, 'link'));
  return place;
}

describe.each(ways)('grep %s', (_, path) => {
  const grep = async (place: TestPlace, args: unknown) => await place.run(grepTool, args, { env: { PATH: path } });

  it('shows nothing of the settings of runs, also when it is told to look there', async () => {
    const place = createTree();
    place.write('.ralph/runs/r1/settings.json', 'alpha\n');
    place.write('.ralph/runs/r1/evidence/1.log', 'alpha\n');
    const { text } = await grep(place, { pattern: 'alpha', path: '.ralph/runs' });
    expect(text).toContain('evidence/1.log');
    expect(text).not.toContain('settings.json');
  });

  it('finds lines, with file and number', async () => {
    const { text } = await grep(createTree(), { pattern: 'alpha' });
    expect(text.split('\n')).toEqual([
      'a.ts:1:alpha',
      'a.ts:3:\tgamma alpha',
      'src/b.ts:2:two alpha',
      'src/b.ts:7:seven alpha',
      'src/c.md:1:# alpha',
    ]);
  });

  it('tells files alone, or how many lines', async () => {
    const place = createTree();
    expect((await grep(place, { pattern: 'alpha', mode: 'files' })).text).toBe('a.ts\nsrc/b.ts\nsrc/c.md');
    expect((await grep(place, { pattern: 'alpha', mode: 'count' })).text).toBe('a.ts:2\nsrc/b.ts:2\nsrc/c.md:1');
  });

  it('takes a file, a kind of files, another case, and a text that is no expression', async () => {
    const place = createTree();
    expect((await grep(place, { pattern: 'alpha', path: 'a.ts', mode: 'count' })).text).toBe('a.ts:2');
    expect((await grep(place, { pattern: 'alpha', glob: '*.md' })).text).toBe('src/c.md:1:# alpha');
    expect((await grep(place, { pattern: 'alpha', glob: '!*.md' })).text).toContain('No line matches');
    expect((await grep(place, { pattern: 'ALPHA', ignore_case: true, glob: 'src/*.ts', mode: 'count' })).text).toBe('src/b.ts:2');
    expect((await grep(place, { pattern: 'beta (X)', literal: true, ignore_case: true })).text).toBe('a.ts:2:Beta (x)');
    expect((await grep(place, { pattern: '^\\s+gamma' })).text).toBe('a.ts:3:\tgamma alpha');
  });

  it('shows what stands around', async () => {
    const { text } = await grep(createTree(), { pattern: 'alpha', path: 'src/b.ts', context: 1 });
    expect(text.split('\n')).toEqual([
      'src/b.ts-1-one',
      'src/b.ts:2:two alpha',
      'src/b.ts-3-three',
      '--',
      'src/b.ts-6-six',
      'src/b.ts:7:seven alpha',
      '--',
    ]);
  });

  it('searches an ignored folder when it is asked for', async () => {
    const place = createTree();
    expect((await grep(place, { pattern: 'alpha', path: 'ignored' })).text).toBe('ignored/d.ts:1:alpha');
    expect((await grep(place, { pattern: 'alpha', path: 'node_modules' })).text).toBe('node_modules/e.ts:1:alpha');
  });

  it('stops at its limit, and says that there is more', async () => {
    const place = createTree();
    for (const mode of ['content', 'files', 'count'] as const) {
      const { text } = await grep(place, { pattern: 'alpha', limit: 2, mode });
      expect(text.split('\n'), mode).toHaveLength(3);
      expect(text, mode).toContain('[There are more than 2');
    }
    expect((await grep(place, { pattern: 'alpha', limit: 5 })).text).not.toContain('There are more');
  });

  it('cuts long lines', async () => {
    const place = createPlace();
    place.write('min.js', `needle${'x'.repeat(10_000)}`);
    const { text } = await grep(place, { pattern: 'needle' });
    expect(text).toBe(`min.js:1:needle${'x'.repeat(494)}[… 9506 more characters]`);
  });

  it('says that nothing was found apart from what could not be searched', async () => {
    const place = createTree();
    expect(await grep(place, { pattern: 'zeta' })).toMatchObject({ text: 'No line matches "zeta" in ..', isError: false });
    const bad = await grep(place, { pattern: 'a(b' });
    expect(bad).toMatchObject({ isError: true, text: expect.stringContaining('The pattern "a(b" cannot be used') });
    expect(bad.text).toContain('literal: true');
    expect((await grep(place, { pattern: 'x', path: 'srx' })).text).toContain('Did you mean "src"?');
    expect((await grep(place, { pattern: 'x', glob: '../*' })).isError).toBe(true);
  });

  it('takes no pattern for an option', async () => {
    const place = createTree();
    for (const pattern of ['--files', '-e', '--pre=touch', '--', '-v']) {
      expect((await grep(place, { pattern, literal: true })).text, pattern).toContain('No line matches');
    }
    expect((await grep(place, { pattern: '^$', path: 'a.ts' })).text).toContain('No line matches');
    place.write('-v', 'needle\n');
    expect((await grep(place, { pattern: 'needle', path: '-v' })).text).toBe('-v:1:needle');
  });

  it('knows expressions that look around', async () => {
    expect((await grep(createTree(), { pattern: '(?<=two )alpha', mode: 'files' })).text).toBe('src/b.ts');
  });
});

describe('grep', () => {
  it('runs no program of the workspace', async () => {
    const place = createPlace();
    place.write('a.txt', 'needle');
    const planted = place.write('node_modules/.bin/rg', `#!/bin/sh\ntouch ${join(place.outside, 'pwned')}\n`, 0o755);
    const folder = join(planted, '..');
    expect((await place.run(grepTool, { pattern: 'needle' }, { env: { PATH: folder } })).text).toBe('a.txt:1:needle');
    expect(existsSync(join(place.outside, 'pwned'))).toBe(false);
  });

  it('gives ripgrep neither a configuration nor keys, and searches by itself when it fails', async () => {
    const place = createPlace();
    place.write('a.txt', 'needle');
    const rg = join(place.outside, 'rg');
    const seen = join(place.outside, 'seen');
    writeFileSync(rg, `#!/bin/sh\n(echo "$@"; env) > ${seen}\nexit 2\n`);
    chmodSync(rg, 0o755);
    const env = { PATH: place.outside, RIPGREP_CONFIG_PATH: '/etc/evil', API_KEY: 'secret-value' };
    expect((await place.run(grepTool, { pattern: 'needle' }, { env })).text).toBe('a.txt:1:needle');
    expect(readFileSync(seen, 'utf8')).toContain('--no-config');
    expect(readFileSync(seen, 'utf8')).not.toMatch(/evil|secret-value/);
  });
});
