/** Hooks of the life of a run, with an agent of one's own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

const CONFIG = `
gates: []
event_loop: {prompt: Build it, max_iterations: 8}
hooks:
  RunStart:
    - {handler: note.mjs, name: start}
  TurnEnd:
    - {matcher: reviewer, handler: note.mjs, name: reviewed}
  HatChange:
    - {handler: note.mjs, name: change}
  RunEnd:
    - {matcher: completed, handler: note.mjs, name: end}
    - {matcher: stalled, handler: note.mjs, name: never}
    - {name: broken, command: "echo no room >&2; exit 3"}
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: [build.done]
    hooks:
      TurnStart:
        - {handler: note.mjs, name: slow, async: false}
  reviewer:
    triggers: [build.done]
    publishes: [LOOP_COMPLETE]
`;
/** Slower than the agents: nothing waits for it but the end. */
const NOTE = `
import { appendFileSync, readFileSync } from 'node:fs';
const event = JSON.parse(readFileSync(0, 'utf8'));
await new Promise((resolve) => setTimeout(resolve, 200));
appendFileSync('notes.jsonl', JSON.stringify(event) + '\\n');
`;
const BODY = `
case $RALPH_HAT in
  builder) emit build.done "14 tests";;
  reviewer) echo LOOP_COMPLETE;;
esac`;

const readLines = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('hooks are told of the life of a run in order, whatever agent works, and the end waits for them', async () => {
  await withPlace(toFiles(CONFIG, BODY, { 'note.mjs': NOTE }), async (folder) => {
    const validated = await ralph(folder, ['validate']);
    expect(validated.stdout + validated.stderr).not.toContain('hook-');
    const run = await ralph(folder, ['run', '--no-tui']);
    expect([run.code, run.stderr]).toEqual([
      0,
      expect.stringContaining('The hook broken of RunEnd failed: it ended with exit code 3: no room'),
    ]);
    const notes = readLines(join(folder, 'notes.jsonl'));
    const [id = ''] = readdirSync(join(folder, '.ralph/runs'));
    expect(notes.map(({ hook_type, hat, session_id, reason }) => [hook_type, hat, session_id, reason])).toEqual([
      ['RunStart', '', '', 'started'],
      ['TurnStart', 'builder', '1.1', undefined],
      ['HatChange', 'reviewer', '2.1', undefined],
      ['TurnEnd', 'reviewer', '2.1', 'succeeded'],
      ['RunEnd', '', '', 'completed'],
    ]);
    expect(notes[2]).toMatchObject({ from: 'builder', to: 'reviewer', iteration: 2, orchestrator_id: id, tool_name: '' });
    const lines = readLines(join(folder, '.ralph/runs', id, 'hooks.jsonl'));
    expect(lines.map(({ name, error }) => [name, error])).toEqual([
      ['start', null],
      ['slow', null],
      ['change', null],
      ['reviewed', null],
      ['end', null],
      ['broken', 'it ended with exit code 3: no room'],
    ]);
  });
});

test('they are listed and tried without a run, and refused where nothing would ask them', async () => {
  await withPlace(toFiles(CONFIG, BODY, { 'note.mjs': NOTE }), async (folder) => {
    const listed = await ralph(folder, ['hooks', '--format', 'json']);
    const rows = listed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.filter(({ hat }) => hat === null).map(({ event, name }) => `${event} ${name}`)).toEqual([
      'RunStart start',
      'RunEnd end',
      'RunEnd never',
      'RunEnd broken',
    ]);
    expect(rows.filter(({ hat }) => hat === 'builder').map(({ name, unbound }) => [name, unbound])).toContainEqual(['slow', []]);
    const tried = await ralph(folder, ['hooks', 'test', 'RunEnd', '--reason', 'stalled', '--format', 'json']);
    expect(JSON.parse(tried.stdout)).toMatchObject({ told: [{ name: 'never', error: null }, { name: 'broken' }] });
    expect(readLines(join(folder, 'notes.jsonl'))).toMatchObject([{ hook_type: 'RunEnd', reason: 'stalled' }]);
    const ofHat = await ralph(folder, ['hooks', 'test', 'TurnStart', '--hat', 'builder']);
    expect(ofHat.stdout).toMatch(/^slow +- +/m);
  });
});
