import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import type { Json } from '../../core/values/json.ts';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { createBuiltInTools } from '../tool-list.ts';
import { editFileTool } from '../tools/edit-file.ts';
import { readFileTool } from '../tools/read-file.ts';
import { describeProject, mayRepeat } from './open-tools.ts';

afterAll(removePlaces);

const TOOLS = createBuiltInTools([]);
const EDIT = { path: 'a.txt', old_text: 'one', new_text: 'one one' };

function createAsked() {
  const place = createPlace();
  place.write('a.txt', 'one\n');
  return { place, ask: (name: string, args: Json = {}) => mayRepeat(TOOLS, name, args, place.context) };
}

it.each([
  ['read_file', true],
  ['run_tests', true],
  ['write_file', true],
  ['emit_event', true],
  ['task_complete', true],
  ['bash', false],
  ['git_commit', false],
  ['git_push', false],
  ['no_such_tool', false],
])('a call of %s that was cut off: %s', async (name, expected) => {
  expect(await createAsked().ask(name)).toBe(expected);
});

it('an edit that was cut off is made again where the file still is what was read, and only there', async () => {
  const { place, ask } = createAsked();
  expect(await ask('edit_file', EDIT)).toBe(false);
  await place.run(readFileTool, { path: 'a.txt' });
  expect(await ask('edit_file', EDIT)).toBe(true);
  const reads = new Map(place.context.session.reads);
  await place.run(editFileTool, EDIT);
  // What the killed process knew: the file as it was before its edit.
  for (const [path, record] of reads) place.context.session.reads.set(path, record);
  expect(await ask('edit_file', EDIT)).toBe(false);
});

it.each<[string, Json]>([
  ['no path', {}],
  ['a path outside', { path: '../x' }],
  ['a text', 'a.txt'],
  ['a file that is gone', { path: 'gone.txt' }],
])('an edit with %s is not made again', async (_, args) => {
  expect(await createAsked().ask('edit_file', args)).toBe(false);
});

afterEach(removePlaces);

const MORNING = Date.UTC(2026, 10, 22, 6);
const EVENING = Date.UTC(2026, 10, 22, 22);

it('tells folder, system, date and branch, the same text all day', async () => {
  const place = createPlace();
  rmSync(join(place.workspace, '.git'), { recursive: true, force: true });
  mkdirSync(join(place.workspace, '.git'));
  writeFileSync(join(place.workspace, '.git', 'HEAD'), 'ref: refs/heads/topic/one\n');
  const text = await describeProject(place.context.jail, MORNING);
  expect(text).toContain(`- folder: ${place.workspace}\n`);
  expect(text).toMatch(/- system: \w+ \S+\n- date: 2026-11-22\n- branch of git: topic\/one$/);
  expect(await describeProject(place.context.jail, EVENING)).toBe(text);
  // A pipe in its place is not waited for.
  rmSync(join(place.workspace, '.git', 'HEAD'));
  execFileSync('mkfifo', [join(place.workspace, '.git', 'HEAD')]);
  expect(await describeProject(place.context.jail, MORNING)).not.toContain('branch of git');
});

it('tells what AGENTS.md says, else CLAUDE.md, else GEMINI.md', async () => {
  const place = createPlace();
  place.write('GEMINI.md', 'from gemini');
  expect(await describeProject(place.context.jail, MORNING)).toContain('# What GEMINI.md of the project says\n\nfrom gemini');
  place.write('CLAUDE.md', 'from claude');
  expect(await describeProject(place.context.jail, MORNING)).toMatch(/from claude$/);
  place.write('AGENTS.md', 'from agents');
  const text = await describeProject(place.context.jail, MORNING);
  expect(text).toMatch(/from agents$/);
  expect(text).not.toContain('from claude');
});

it('cuts a long one, and says so', async () => {
  const place = createPlace();
  place.write('AGENTS.md', 'x'.repeat(40_000));
  const text = await describeProject(place.context.jail, MORNING);
  expect(text.length).toBeLessThan(33_000);
  expect(text).toContain('[cut here: 40000 characters in all; read_file shows the rest]');
});

it('does not follow a link out of the workspace', async () => {
  const place = createPlace();
  writeFileSync(join(place.outside, 'secret.md'), 'not for agents');
  symlinkSync(join(place.outside, 'secret.md'), join(place.workspace, 'AGENTS.md'));
  expect(await describeProject(place.context.jail, MORNING)).not.toContain('not for agents');
});
