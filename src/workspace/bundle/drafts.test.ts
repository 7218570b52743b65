import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDraftNotes, sweepDrafts } from './drafts.ts';

const made = mkdtempSync(join(tmpdir(), 'ralph-drafts-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));

test('what a killed process wrote before it came to its place is removed, and nothing else, through no link', () => {
  const [folder, top, elsewhere] = ['run', 'top', 'elsewhere'].map((name) => join(made, name)) as [string, string, string];
  const draft = '.ralph-0123456789abcdef.tmp';
  for (const path of [folder, join(top, 'sub'), elsewhere]) mkdirSync(path, { recursive: true });
  symlinkSync(elsewhere, join(top, 'link'));
  for (const path of [join(top, draft), join(top, 'sub', draft), join(elsewhere, draft), join(top, 'mine.tmp')]) writeFileSync(path, 'x');
  createDraftNotes(folder).note([draft, `sub/${draft}`, `link/${draft}`, `../elsewhere/${draft}`, 'mine.tmp', `gone/${draft}`]);
  sweepDrafts(folder, top);
  expect([readdirSync(top).sort(), readdirSync(join(top, 'sub')), existsSync(join(elsewhere, draft))]).toEqual([
    ['link', 'mine.tmp', 'sub'],
    [],
    true,
  ]);
  expect(readdirSync(folder)).toEqual([]);
  for (const text of ['', '{', '["a"', '7']) {
    writeFileSync(join(folder, 'drafts.json'), text);
    sweepDrafts(folder, top);
  }
  sweepDrafts(join(made, 'none'), top);
});
