import { existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { updateTodosTool } from './update-todos.ts';
import { writeScratchpadTool } from './write-scratchpad.ts';

afterAll(removePlaces);

describe('write_scratchpad', () => {
  it('appends notes, each on lines of its own', async () => {
    const place = createPlace({ isReadOnly: true });
    await place.run(writeScratchpadTool, { content: '- one' });
    await place.run(writeScratchpadTool, { content: '- two\n' });
    expect(place.read('.agent/scratchpad.md')).toBe('- one\n- two\n');
  });

  it('takes the place of all notes when it is told to', async () => {
    const place = createPlace();
    await place.run(writeScratchpadTool, { content: 'old notes' });
    const { text } = await place.run(writeScratchpadTool, { content: 'new', mode: 'replace' });
    expect(place.read('.agent/scratchpad.md')).toBe('new\n');
    expect(text).toContain('10 bytes before');
  });

  it('loses no note of several that come at the same time', async () => {
    const place = createPlace();
    const notes = ['a', 'b', 'c'];
    await Promise.all(notes.map((content) => place.run(writeScratchpadTool, { content })));
    expect(place.read('.agent/scratchpad.md').trim().split('\n').toSorted()).toEqual(notes);
  });

  it('refuses nothing as a note, and what is too long', async () => {
    const place = createPlace();
    expect((await place.run(writeScratchpadTool, { content: ' ' })).isError).toBe(true);
    expect((await place.run(writeScratchpadTool, { content: 'x'.repeat(2 ** 20 + 1) })).isError).toBe(true);
    expect(existsSync(join(place.workspace, '.agent/scratchpad.md'))).toBe(false);
  });

  it('writes nowhere else when somebody put a link in the place of the notes', async () => {
    const place = createPlace();
    const before = place.photographOutside();
    mkdirSync(join(place.workspace, '.agent'));
    symlinkSync(join(place.outside, 'secret.txt'), join(place.workspace, '.agent/scratchpad.md'));
    expect((await place.run(writeScratchpadTool, { content: 'x' })).isError).toBe(true);
    expect(place.photographOutside()).toEqual(before);
  });

  it('takes nothing over from a file that somebody gave a second name', async () => {
    const place = createPlace();
    mkdirSync(join(place.workspace, '.agent'));
    linkSync(join(place.outside, 'secret.txt'), join(place.workspace, '.agent/scratchpad.md'));
    const { text, isError } = await place.run(writeScratchpadTool, { content: 'x' });
    expect([isError, text.includes('second name')]).toEqual([true, true]);
    expect(place.read('.agent/scratchpad.md')).toBe('outside content\n');
  });

  it('writes notes that lie beside the folder of the turn, and follows no link there', async () => {
    const first = createPlace();
    const scratchpad = join(first.outside, 'notes.md');
    const place = createPlace({ sharedFiles: [scratchpad] });
    await place.run(writeScratchpadTool, { content: 'one' }, { scratchpad });
    expect(first.photographOutside().get(scratchpad)).toContain('one');
    rmSync(scratchpad);
    symlinkSync(join(first.outside, 'secret.txt'), scratchpad);
    const before = first.photographOutside();
    expect((await place.run(writeScratchpadTool, { content: 'x' }, { scratchpad })).isError).toBe(true);
    expect(first.photographOutside()).toEqual(before);
  });
});

describe('update_todos', () => {
  it('keeps the list for the session and for others', async () => {
    const place = createPlace({ isReadOnly: true });
    const todos = [{ text: 'read', status: 'done' }, { text: 'write', status: 'doing' }, { text: 'test\nit' }];
    const { text, facts } = await place.run(updateTodosTool, { todos });
    expect(place.read('.agent/todos.md')).toBe('- [x] read\n- [~] write\n- [ ] test it\n');
    expect(place.context.session.todos).toHaveLength(3);
    expect(text).toContain('3 to do: 1 done, 1 doing, 1 open.');
    expect(facts).toEqual({ open: 1, doing: 1, done: 1 });
  });

  it('empties the list, and advises one thing at a time', async () => {
    const place = createPlace();
    const doing = await place.run(updateTodosTool, { todos: ['a', 'b'].map((text) => ({ text, status: 'doing' })) });
    expect(doing.text).toContain('2 are being done at once');
    expect((await place.run(updateTodosTool, { todos: [] })).text).toContain('The list is empty.');
    expect(place.read('.agent/todos.md')).toBe('');
  });

  it('keeps the list for the turn where the file cannot be written', async () => {
    const place = createPlace();
    symlinkSync(place.outside, join(place.workspace, '.agent'));
    const { text, isError } = await place.run(updateTodosTool, { todos: [{ text: 'a' }] });
    expect([isError, place.context.session.todos.length]).toEqual([false, 1]);
    expect(text).toContain('Kept for this turn only');
  });
});
