import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { openLanding } from './landing.ts';

afterEach(removeTestFolders);

const OLD = { 'a.txt': 'old a\n', 'b.txt': 'old b\n', gone: 'gone\n', turn: 'a file\n', 'folder/in': 'in\n' };

/** `main` with the old files checked out, and a branch with new ones. */
function create(): TestFolder {
  const folder = createTestRepository(OLD);
  folder.git('checkout', '--quiet', '-b', 'ralph/blue');
  folder.write('a.txt', 'a new text\n');
  folder.write('b.txt', 'b new text\n');
  folder.write('added.txt', 'an added text\n');
  folder.git('rm', '--quiet', 'gone', 'turn', 'folder/in');
  folder.write('turn/file', 'in a folder now\n');
  folder.write('folder', 'a file now\n');
  folder.link('link', 'a.txt');
  folder.git('add', '--all');
  folder.git('commit', '--quiet', '--message', 'work');
  folder.git('checkout', '--quiet', 'main');
  return folder;
}

async function open(folder: TestFolder) {
  const landing = await openLanding({
    ...folder.settings,
    stateDir: '.ralph',
    runId: 'run-1',
    branch: 'ralph/blue',
    onto: 'main',
    links: [],
  });
  const move = { branch: 'main', from: landing.target, to: landing.source ?? '' };
  return { landing, move, settle: () => landing.settle(move, join(folder.env['HOME'] ?? '', 'scratch')) };
}

const at = (folder: TestFolder, path: string): string => join(folder.path, path);

/** What a git that is killed in the middle can leave of one path; `null`: it was not there yet. */
const NEW: Readonly<Record<string, string>> = {
  'a.txt': 'a new text\n',
  'b.txt': 'b new text\n',
  'added.txt': 'an added text\n',
  'turn/file': 'in a folder now\n',
  folder: 'a file now\n',
};

function cut(folder: TestFolder, path: string, length: number): void {
  rmSync(at(folder, path.replace('/file', '')), { recursive: true, force: true });
  if (path === 'turn/file') mkdirSync(at(folder, 'turn'));
  if (length >= 0) writeFileSync(at(folder, path), (NEW[path] ?? '').slice(0, length));
}

describe('a move that was killed together with its git', () => {
  it('is taken back and done anew, wherever git was: files cut short, gone, new, old, and its lock', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ path: fc.constantFrom(...Object.keys(NEW)), length: fc.integer({ min: -1, max: 20 }) }), { maxLength: 5 }),
        fc.boolean(),
        fc.boolean(),
        async (steps, isGone, hasLink) => {
          const folder = create();
          for (const { path, length } of steps) cut(folder, path, length);
          if (isGone) rmSync(at(folder, 'gone'));
          if (hasLink) symlinkSync('a.txt', at(folder, 'link'));
          writeFileSync(at(folder, '.git/index.lock'), '');
          const { landing, move, settle } = await open(folder);
          await settle();
          expect(await landing.listOverwritten(move)).toEqual([]);
          await landing.move(move);
          for (const [path, text] of Object.entries(NEW)) expect(folder.read(path)).toBe(text);
          expect([existsSync(at(folder, 'gone')), lstatSync(at(folder, 'link')).isSymbolicLink()]).toEqual([false, true]);
          expect(folder.status()).toEqual([]);
          removeTestFolders();
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  }, 600_000);

  it('leaves what may be a person’s, and names it: another text, a longer one, a folder with something in it', async () => {
    const folder = create();
    cut(folder, 'b.txt', 3);
    folder.write('a.txt', 'a new text, and mine\n');
    folder.write('added.txt', 'mine\n');
    rmSync(at(folder, 'folder'), { recursive: true });
    folder.write('folder/mine', 'mine\n');
    const { landing, move, settle } = await open(folder);
    await settle();
    expect([...(await landing.listOverwritten(move))].sort()).toEqual(['a.txt', 'added.txt', 'folder/mine']);
    expect(['a.txt', 'added.txt', 'folder/mine', 'b.txt'].map((path) => folder.read(path))).toEqual([
      'a new text, and mine\n',
      'mine\n',
      'mine\n',
      'old b\n',
    ]);
  });

  it('is settled by the content as it is checked out: with line ends of another kind', async () => {
    const folder = createTestRepository({ 'a.txt': 'old\n', '.gitattributes': '*.txt eol=crlf\n' });
    folder.git('checkout', '--quiet', '-b', 'ralph/blue');
    folder.write('a.txt', 'one\r\ntwo\r\n');
    folder.git('commit', '--quiet', '--all', '--message', 'work');
    folder.git('checkout', '--quiet', 'main');
    folder.write('a.txt', 'one\r\nt');
    const { landing, move, settle } = await open(folder);
    await settle();
    expect(await landing.listOverwritten(move)).toEqual([]);
    await landing.move(move);
    expect([folder.read('a.txt'), folder.status()]).toEqual(['one\r\ntwo\r\n', []]);
  });
});
