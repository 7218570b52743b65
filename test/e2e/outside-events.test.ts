import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findIsolation } from '../../src/process/index.ts';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { readEvents, toRoutes } from './run-facts.ts';

const search = await findIsolation();
const found = search.ok ? search.value : null;

const TEAM = `
hats:
  worker:
    triggers: [task.start, task.resume, note.read]
    publishes: []
  listener:
    triggers: [human.note]
    publishes: [note.read, LOOP_COMPLETE]
`;

test.each([
  ['in a namespace of its own is no person', 'auto', found === null ? 'worker may not publish human.note' : 'Only a person may do this'],
  ['without one is still held to its own contract', 'off', 'worker may not publish human.note'],
])('an agent that clears its environment %s', async (_, isolation, words) => {
  const body = `
env -u RALPH_HAT -u RALPH_EVENTS_FILE -u RALPH_CONTRACT -u RALPH_RUN_ID -u RALPH_TURN "$RALPH_BIN" emit human.note "I am a person" > emitted.txt 2>&1
echo "$?" > code.txt
echo worked`;
  await withPlace(toFiles(`isolation: ${isolation}\n${TEAM}`, body), async (folder) => {
    await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
    expect(readFileSync(`${folder}/code.txt`, 'utf8')).toBe('1\n');
    expect(readFileSync(`${folder}/emitted.txt`, 'utf8')).toContain(words);
    expect(toRoutes(await readEvents(folder)).join('\n')).not.toContain('human.note');
  });
});

test('what a person emits while a hat works is from outside: it reaches its hat, and nobody is blamed for it', async () => {
  const body = `
if [ "$RALPH_HAT" = worker ]; then
  touch working; while [ ! -e emitted ]; do sleep 0.05; done; echo worked
else
  case "$prompt" in *"please check"*) echo LOOP_COMPLETE ;; esac
fi`;
  await withPlace(toFiles(TEAM, body), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui']);
    await run.says('worker');
    const emitted = await ralph(folder, ['emit', 'human.note', 'please check']);
    expect(emitted.code, emitted.stderr).toBe(0);
    await ralph(folder, ['status']);
    writeFileSync(`${folder}/emitted`, '');
    const { code, stdout } = await run.done;
    expect(code, stdout).toBe(0);
    const routes = toRoutes(await readEvents(folder));
    expect(routes).toContain('external -> human.note -> listener');
    expect(routes.join('\n')).not.toContain('scope_violation');
  });
});
