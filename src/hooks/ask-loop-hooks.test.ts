import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { HookSpec } from '../core/hooks/hook-spec.ts';
import { createLoopHookAsker } from './ask-loop-hooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-loop-hooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scene = { run: 'run-1', cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, marker: 'loop-hooks-test' };
const clocks = { now: () => 0, steady: () => performance.now() };

function toHook(line: string, parts: Partial<HookSpec> = {}): HookSpec {
  const event = 'EventPublish' as const;
  return {
    name: line.slice(0, 20),
    event,
    matcher: '*',
    handler: { kind: 'shell', line },
    timeoutMs: 5000,
    isFailClosed: false,
    place: 'ralph.yml:1',
    ...parts,
  };
}

async function ask(
  hooks: readonly HookSpec[],
  drafts: readonly { topic: string; payload: string }[],
  event: 'EventPublish' | 'CompletionRequested' = 'EventPublish',
) {
  const asker = createLoopHookAsker(() => hooks, scene, clocks);
  try {
    return await asker.ask({ event, hat: 'builder', iteration: 7, drafts }, new AbortController().signal);
  } finally {
    await asker.close();
  }
}

describe('hooks of events', () => {
  it('are told the event, who published it and when, and each what the one before it made of it', async () => {
    writeFileSync(join(folder, 'seen.jsonl'), '');
    const record = `cat >> seen.jsonl; echo >> seen.jsonl`;
    const change = `echo '{"updated_event": {"payload": {"better": true}}}'`;
    const [answer] = await ask([toHook(record), toHook(change), toHook(record)], [{ topic: 'build.done', payload: 'x' }]);
    expect(answer).toMatchObject({
      isDropped: false,
      changed: { payload: { better: true } },
      runs: [{ error: null }, { error: null }, { error: null }],
    });
    const seen = readFileSync(join(folder, 'seen.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(seen.map(({ event }) => event)).toEqual([
      { topic: 'build.done', payload: 'x', target: null },
      { topic: 'build.done', payload: { better: true }, target: null },
    ]);
    expect(seen[0]).toMatchObject({
      hook_type: 'EventPublish',
      orchestrator_id: 'run-1',
      agent_id: 'builder',
      hat: 'builder',
      iteration: 7,
      tool_name: '',
    });
  });

  it('drop it by a denial, which ends the asking, and only what their matcher is about', async () => {
    const deny = toHook('echo no >&2; exit 2', { name: 'guard', matcher: 'deploy.*' });
    const never = toHook('touch never', { matcher: 'deploy.*' });
    const answers = await ask(
      [deny, never],
      [
        { topic: 'build.done', payload: '' },
        { topic: 'deploy.now', payload: '' },
      ],
    );
    expect(answers.map(({ isDropped, reason, runs }) => [isDropped, reason, runs.length])).toEqual([
      [false, '', 0],
      [true, 'guard: no', 1],
    ]);
  });

  it('hold it back where they leave it to a person or cannot be started, and let it through where they fail, but for those that fail closed', async () => {
    const asks = toHook(`echo '{"decision": "ask", "reason": "sure?"}'`, { name: 'a' });
    const missing = toHook('', { name: 'm', handler: { kind: 'command', argv: ['/nowhere/hook'], file: null } });
    const broken = toHook('exit 3', { name: 'b' });
    const one = [{ topic: 'build.done', payload: '' }];
    expect((await ask([asks], one))[0]).toMatchObject({
      isDropped: true,
      reason: expect.stringContaining('nobody can be asked here. sure?'),
    });
    expect((await ask([missing], one))[0]).toMatchObject({ isDropped: true });
    expect((await ask([broken], one))[0]).toMatchObject({ isDropped: false, runs: [{ error: expect.any(String) }] });
    expect((await ask([{ ...broken, isFailClosed: true }], one))[0]).toMatchObject({ isDropped: true });
  });

  it('that are asked once are asked about the first event of a turn, and those that nobody waits for decide nothing', async () => {
    const once = toHook('exit 2', { isOnce: true });
    const slow = toHook('sleep 20; exit 2', { isAsync: true });
    const startedAt = performance.now();
    const two = [
      { topic: 'build.done', payload: '' },
      { topic: 'build.done', payload: '' },
    ];
    expect((await ask([slow, once], two)).map(({ isDropped, runs }) => [isDropped, runs.length])).toEqual([
      [true, 1],
      [false, 0],
    ]);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('that nobody waits for are sixteen at once: one more is not started, which is told', async () => {
    const slow = Array.from({ length: 18 }, () => toHook('sleep 20', { isAsync: true }));
    const [answer] = await ask(slow, [{ topic: 'build.done', payload: '' }]);
    expect(answer?.isDropped).toBe(false);
    expect(answer?.runs.map(({ error }) => error)).toEqual(Array(2).fill('it was not started: 16 hooks still run'));
  });

  it('may not change a completion, and hear of it by the hat', async () => {
    const change = toHook(`echo '{"updated_event": {"topic": "x.y"}}'`, { event: 'CompletionRequested', isFailClosed: true });
    const done = [{ topic: 'task.complete', payload: '' }];
    expect((await ask([change], done, 'CompletionRequested'))[0]).toMatchObject({
      isDropped: true,
      reason: expect.stringContaining('it may not change the event'),
    });
    const other = toHook('exit 2', { event: 'CompletionRequested', matcher: 'reviewer' });
    expect((await ask([other], done, 'CompletionRequested'))[0]).toMatchObject({ isDropped: false, runs: [] });
  });
});
