import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE_PANEL } from '../../core/run/panel-fixtures.ts';
import type { PanelAnswer } from '../../core/run/panel-state.ts';
import { createFolder, listFiles, removeFolders, writeFiles } from '../share/share-fixtures.ts';
import { PanelFiles, type TakeOver } from './panel-files.ts';

let workspace = '';
let files: PanelFiles;
let mayWrite: boolean;
let links: readonly string[];

beforeEach(() => {
  const top = createFolder();
  workspace = join(top, 'run');
  mkdirSync(workspace);
  mayWrite = true;
  links = [];
  files = open();
});

/** As a process opens them. */
function open(answers: readonly PanelAnswer[] = []): PanelFiles {
  const rules = { links, skipped: [], mayWrite: () => mayWrite };
  const folder = join(workspace, '..', 'panels');
  return new PanelFiles({ spec: SAMPLE_PANEL, folder, workspace, ...rules, home: '1.1', numbers: [2, 3, 1] }, answers);
}
afterEach(removeFolders);

/** An agent changes its folder and hands in, and its answer wins. */
async function win(change: (work: string) => void): Promise<TakeOver> {
  const { cwd } = await files.open(0);
  change(cwd);
  await files.snapshot(0, 'a1', 'It is done.');
  files.took(0, 1, 'a1');
  return files.apply({ agent: 0, revision: 1 }, async () => undefined);
}

const rename = (work: string): void => {
  rmSync(join(work, 'old.ts'));
  writeFiles(work, { 'new.ts': 'x' });
};

describe('what the winner removed is removed from the folder of the run', () => {
  it('where a link in the project leads nowhere', async () => {
    writeFiles(workspace, { 'old.ts': 'x', kept: '' });
    symlinkSync('not-there', join(workspace, 'link'));
    expect(await win(rename)).toEqual({ kind: 'done' });
    expect([existsSync(join(workspace, 'old.ts')), existsSync(join(workspace, 'new.ts'))]).toEqual([false, true]);
  });

  it('where the project has more files with secrets than are told by name', async () => {
    const secrets = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`keys/${index}.pem`, 'x']));
    writeFiles(workspace, { ...secrets, 'old.ts': 'x' });
    expect(await win(rename)).toEqual({ kind: 'done' });
    expect(listFiles(workspace)).toEqual({ ...secrets, 'new.ts': 'x' });
  });
});

it('what is linked by settings that are newer than the folder of an agent is not taken for removed in it', async () => {
  writeFiles(workspace, { 'old.ts': 'x', 'vendor/lib.ts': 'lib' });
  await files.open(0);
  links = ['vendor'];
  files = open();
  expect(await win(rename)).toEqual({ kind: 'done' });
  expect(listFiles(workspace)).toEqual({ 'new.ts': 'x', 'vendor/lib.ts': 'lib' });
});

it('of an agent that may not write nothing is taken over, whatever is in its folder', async () => {
  mayWrite = false;
  writeFiles(workspace, { 'old.ts': 'old' });
  expect(await win(rename)).toEqual({ kind: 'done' });
  expect(listFiles(workspace)).toEqual({ 'old.ts': 'old' });
});

describe('an agent whose folder is not what it was', () => {
  it('removes nothing of the run, also where the process died before its snapshot was in its place', async () => {
    writeFiles(workspace, { 'old.ts': 'x', kept: 'k' });
    const { cwd } = await files.open(0);
    for (const name of ['old.ts', 'kept', '.agent']) rmSync(join(cwd, name), { recursive: true });
    writeFiles(cwd, { 'new.ts': 'n' });
    await files.snapshot(0, 'a1', 'It is done.');
    files = open([{ agent: 0, revision: 1, content: 'It is done.', canonical: 'It is done.', topic: null, call: 'a1' }]);
    expect(await files.apply({ agent: 0, revision: 1 }, async () => undefined)).toEqual({ kind: 'done' });
    expect(listFiles(workspace)).toEqual({ 'old.ts': 'x', kept: 'k', 'new.ts': 'n' });
  });

  it('brings nothing in where another folder, or a link to one, stands in its place', async () => {
    writeFiles(workspace, { 'old.ts': 'x' });
    const other = createFolder();
    writeFiles(other, { 'old.ts': 'of somebody else', 'evil.ts': 'e' });
    const replace = (work: string): void => {
      rmSync(work, { recursive: true });
      symlinkSync(other, work);
    };
    expect(await win(replace)).toEqual({ kind: 'done' });
    expect(listFiles(workspace)).toEqual({ 'old.ts': 'x' });
  });
});
