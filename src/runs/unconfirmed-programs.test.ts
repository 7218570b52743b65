import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { captureTrustedPrograms, openProgramNotes, toUnconfirmedWarnings } from './unconfirmed-programs.ts';

let cwd: string;
let layout: { readonly stateDir: string };
const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const config = (...args: readonly string[]): void => void execFileSync('git', ['config', ...args], { cwd, env });
const capture = (): Promise<unknown> => captureTrustedPrograms(layout, { cwd, env });
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-programs-'));
  layout = { stateDir: join(cwd, '.ralph') };
  mkdirSync(layout.stateDir);
  execFileSync('git', ['init', '-q'], { cwd, env });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it('runs nothing that the notes themselves say: an agent may have written them', async () => {
  config('filter.mine.clean', 'cat');
  const seen = createHash('sha256').update('cat').digest('hex');
  writeFileSync(join(layout.stateDir, 'git-programs.json'), JSON.stringify({ 'filter.mine.clean': { seen, trusted: 'evil' } }));
  expect(await capture()).toEqual({});
});

it('takes what came or changed during a run for nobody', async () => {
  config('filter.old.clean', 'theirs');
  config('filter.x.clean', 'evil');
  config('filter.kept.clean', 'mine');
  openProgramNotes(layout).note(
    { 'filter.x.clean': 'evil', 'filter.old.clean': 'theirs', 'filter.gone.clean': null },
    { 'filter.old.clean': 'mine' },
  );
  expect(await capture()).toEqual({ 'filter.kept.clean': 'mine' });
  expect(await toUnconfirmedWarnings(layout, { cwd, env })).toEqual([
    expect.stringMatching(/: filter\.old\.clean, filter\.x\.clean\. .*when no run is under way: rm \S+git-programs\.json/),
  ]);
});

it("takes a value that nobody saw during a run for a person's", async () => {
  openProgramNotes(layout).note({ 'filter.x.clean': 'evil' }, {});
  config('filter.x.clean', 'mine');
  expect(await capture()).toEqual({ 'filter.x.clean': 'mine' });
  expect(await toUnconfirmedWarnings(layout, { cwd, env })).toEqual([]);
});

it('writes its notes anew where an agent removed or damaged them', async () => {
  config('filter.x.clean', 'evil');
  const notes = openProgramNotes(layout);
  notes.note({ 'filter.x.clean': 'evil' }, {});
  rmSync(join(layout.stateDir, 'git-programs.json'));
  notes.note({ 'filter.x.clean': 'evil' }, {});
  expect(await capture()).toEqual({});
  writeFileSync(join(layout.stateDir, 'git-programs.json'), '[');
  notes.note({ 'filter.x.clean': 'evil' }, {});
  expect(await capture()).toEqual({});
});

it('keeps of several programs each, over several runs', async () => {
  config('filter.x.clean', 'evil');
  config('filter.y.process', 'worse');
  openProgramNotes(layout).note({ 'filter.x.clean': 'evil' }, {});
  openProgramNotes(layout).note({ 'filter.y.process': 'worse' }, {});
  expect(await capture()).toEqual({});
});

it('keeps of two runs at once what each of them noted', async () => {
  config('filter.x.clean', 'evil');
  config('filter.y.process', 'worse');
  const [one, other] = [openProgramNotes(layout), openProgramNotes(layout)];
  one.note({ 'filter.x.clean': 'evil' }, {});
  other.note({ 'filter.y.process': 'worse' }, {});
  expect(await capture()).toEqual({});
  one.note({ 'filter.x.clean': 'evil' }, {});
  expect(await capture()).toEqual({});
});
