/** Hooks of the loop bind whatever agent wears a hat. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { readEvents, readStatus, until } from './run-facts.ts';

const CONFIG = `
gates: []
event_loop: {prompt: Build it, max_iterations: 8}
hooks:
  EventPublish:
    - {matcher: build.done, name: evidence, handler: hooks/evidence.mjs}
  CompletionRequested:
    - {name: last look, command: "test -e looked || { touch looked; echo look again >&2; exit 2; }"}
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: [build.done]
  reviewer:
    triggers: [build.done, task.blocked]
    publishes: [LOOP_COMPLETE]
`;
const EVIDENCE = `
import { readFileSync } from 'node:fs';
const { event } = JSON.parse(readFileSync(0, 'utf8'));
if (!event.payload.includes('tests')) console.log(JSON.stringify({ decision: 'deny', reason: 'say which tests ran' }));
else console.log(JSON.stringify({ updated_event: { payload: event.payload + ' (seen)' } }));
`;
const BODY = `
case $RALPH_HAT in
  builder) case "$prompt" in *"say which tests ran"*) emit build.done "14 tests";; *) emit build.done "done";; esac;;
  reviewer) case "$prompt" in *"14 tests (seen)"*) echo seen >> seen.txt;; esac; echo LOOP_COMPLETE;;
esac`;

test('an event is dropped with the reason told to its author, changed on its way, and a completion is held back once', async () => {
  await withPlace(toFiles(CONFIG, BODY, { 'hooks/evidence.mjs': EVIDENCE }), async (folder) => {
    const validated = await ralph(folder, ['validate']);
    expect(validated.stdout + validated.stderr).not.toContain('hook-not-bound');
    const run = await ralph(folder, ['run', '--no-tui']);
    expect([run.code, run.stdout]).toEqual([
      0,
      expect.stringContaining('A hook let build.done of builder not through: evidence: say which tests ran'),
    ]);
    expect(readFileSync(join(folder, 'seen.txt'), 'utf8')).toContain('seen');
    const events = await readEvents(folder);
    expect(events.filter(({ topic }) => topic === 'build.done').map(({ status, payload }) => [status, payload])).toEqual([
      ['refused', { why: 'hook', allowed: [] }],
      ['routed', '14 tests (seen)'],
    ]);
    expect(events.filter(({ topic }) => topic === 'task.blocked')).toHaveLength(1);
    expect((await readStatus(folder)).end?.reason).toBe('completed');
    const [id = ''] = readdirSync(join(folder, '.ralph/runs'));
    expect((await ralph(folder, ['show', id, '1'])).stdout).toContain('evidence said deny to build.done: say which tests ran');
    expect((await ralph(folder, ['show', id, '2'])).stdout).toContain('evidence changed build.done');
  });
});

test('killed with SIGKILL while a hook is asked about an event: a new process asks again, and the event is routed once', async () => {
  const config = CONFIG.replace('handler: hooks/evidence.mjs', 'command: "echo x >> asked; test -e go || sleep 30"').replace(
    / {2}CompletionRequested:\n.*\n/,
    '',
  );
  await withPlace(toFiles(config, BODY), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await until('the hook is asked', () => existsSync(join(folder, 'asked')));
    run.child.kill('SIGKILL');
    await run.done;
    writeFileSync(join(folder, 'go'), '');
    expect((await ralph(folder, ['resume', '--no-tui'])).code).toBe(0);
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('x\nx\n');
    const events = await readEvents(folder);
    expect(events.filter(({ topic }) => topic === 'build.done').map(({ status }) => status)).toEqual(['routed']);
    expect((await readStatus(folder)).turns.filter(({ hat }) => hat === 'builder')).toHaveLength(1);
  });
});

test('ralph hooks lists them as binding any agent, and tries them', async () => {
  await withPlace(toFiles(CONFIG, BODY, { 'hooks/evidence.mjs': EVIDENCE }), async (folder) => {
    const listed = (await ralph(folder, ['hooks', '--hat', 'builder', '--format', 'json'])).stdout.trim().split('\n');
    expect(listed.map((line) => JSON.parse(line)).map(({ event, unbound }) => [event, unbound])).toEqual([
      ['EventPublish', []],
      ['CompletionRequested', []],
    ]);
    const tried = await ralph(folder, [
      'hooks',
      'test',
      'EventPublish',
      '--hat',
      'builder',
      '--input',
      '{"topic":"build.done","payload":"x"}',
      '--format',
      'json',
    ]);
    expect(JSON.parse(tried.stdout)).toMatchObject({
      merged: { decision: 'deny', reason: 'evidence: say which tests ran' },
      verdicts: [{ name: 'evidence', decision: 'deny' }],
    });
  });
});

test('ralph hooks test says where the hat may not publish what a hook made of its event', async () => {
  const moves = 'printf \'{"updated_event": {"topic": "build.half"}}\'';
  const config = CONFIG.replace(
    '{matcher: build.done, name: evidence, handler: hooks/evidence.mjs}',
    `{matcher: build.done, command: ${JSON.stringify(moves)}}`,
  );
  await withPlace(toFiles(config, BODY), async (folder) => {
    const tryIt = (topic: string, ...flags: readonly string[]) =>
      ralph(folder, ['hooks', 'test', 'EventPublish', '--hat', 'builder', '--input', JSON.stringify({ topic }), ...flags]);
    expect((await tryIt('build.done')).stdout).toContain('It would be dropped: builder may not publish build.half (build.done).');
    expect(JSON.parse((await tryIt('build.done', '--format', 'json')).stdout)).toMatchObject({
      merged: { decision: 'allow', updated_input: { topic: 'build.half' }, may_publish: false },
    });
    expect((await tryIt('review.done')).stdout).toContain(
      'In a run no hook is asked about it: builder may not publish review.done (build.done).',
    );
    const written = readFileSync(join(folder, 'ralph.yml'), 'utf8');
    writeFileSync(join(folder, 'ralph.yml'), written.replaceAll(/(publishes|triggers): \[build.done/g, '$&, build.half'));
    const within = await tryIt('build.done');
    expect([within.stdout.includes('The event would be {"topic":"build.half"}'), within.stdout.includes('may not')]).toEqual([true, false]);
  });
});
