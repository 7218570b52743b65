import { afterAll, expect, it } from 'vitest';
import type { Json } from '../core/index.ts';
import { createPlace, removePlaces } from './file-tool-fixtures.ts';
import { mayRepeat } from './may-repeat.ts';
import { createBuiltInTools } from './tool-list.ts';
import { editFileTool } from './tools/edit-file.ts';
import { readFileTool } from './tools/read-file.ts';

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
