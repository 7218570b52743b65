import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { HookSpec } from '../core/hooks/hook-spec.ts';
import { createLifeHooks, type LifeRun, MAX_WAITING } from './ask-life-hooks.ts';
import type { LifeMoment } from './life-moments.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-life-hooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function toHook(line: string, parts: Partial<HookSpec> = {}): HookSpec {
  return {
    ...{ name: line.slice(0, 20), event: 'TurnEnd', matcher: '*', handler: { kind: 'shell', line }, timeoutMs: 5000 },
    ...{ isFailClosed: false, place: 'ralph.yml:1' },
    ...parts,
  };
}

const ENDED: LifeMoment = { event: 'TurnEnd', at: 0, hat: 'builder', turn: '1.1', iteration: 1, reason: 'failed', detail: 'it broke' };

function open(ofHat: readonly HookSpec[], ofRun: readonly HookSpec[] = []) {
  const runs: LifeRun[] = [];
  const stop = new AbortController();
  const scene = { run: 'r1', cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, marker: 'life-hooks-test', signal: stop.signal };
  const hooks = createLifeHooks(
    { ofRun, ofHat: (hat) => (hat === 'builder' ? ofHat : []) },
    scene,
    (run) => void runs.push(run),
    () => performance.now(),
  );
  return { hooks, runs, stop: () => stop.abort() };
}

describe('hooks of the life of a run', () => {
  it('are told one after the other, in the order of the moments, without anybody waiting', async () => {
    const { hooks, runs } = open([toHook('sleep 0.2; echo slow >> order'), toHook('echo fast >> order')]);
    const before = performance.now();
    hooks.tell(ENDED);
    hooks.tell({ ...ENDED, turn: '2.1' });
    expect(performance.now() - before).toBeLessThan(150);
    await hooks.close();
    expect(readFileSync(join(folder, 'order'), 'utf8')).toBe('slow\nfast\nslow\nfast\n');
    expect(runs.map(({ turn }) => turn)).toEqual(['1.1', '1.1', '2.1', '2.1']);
  });

  it('get the moment as an event whose fields of tools are empty', async () => {
    const { hooks } = open([toHook('cat > told.json')]);
    hooks.tell(ENDED);
    await hooks.close();
    expect(JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'))).toEqual({
      ...{ schema_version: 1, hook_type: 'TurnEnd', hook_event_name: 'TurnEnd', session_id: '1.1', orchestrator_id: 'r1' },
      ...{ agent_id: 'builder', timestamp: '1970-01-01T00:00:00.000Z', tool_name: '', tool_use_id: '', tool_input: {} },
      ...{ tool_output: null, tool_is_error: null, cwd: folder, hat: 'builder', iteration: 1, reason: 'failed', detail: 'it broke' },
    });
  });

  it('are of the hat, or of the run, and matched on the reason or the hat', async () => {
    const { hooks, runs } = open(
      [toHook('true', { name: 'mine', matcher: 'build*' }), toHook('true', { name: 'not mine', matcher: 'critic' })],
      [
        toHook('true', { name: 'done', event: 'RunEnd', matcher: 'completed' }),
        toHook('true', { name: 'other', event: 'RunEnd', matcher: 'stalled' }),
      ],
    );
    hooks.tell(ENDED);
    hooks.tell({ ...ENDED, hat: 'critic' });
    hooks.tell({ event: 'RunEnd', at: 0, hat: '', turn: '', reason: 'completed' });
    await hooks.close();
    expect(runs.map(({ name }) => name)).toEqual(['mine', 'done']);
  });

  it('decide nothing: whoever denies is noted as an error, and so is whoever fails or takes too long', async () => {
    const { hooks, runs } = open([
      toHook('echo no >&2; exit 2'),
      toHook('exit 3'),
      toHook('sleep 9', { timeoutMs: 100 }),
      toHook('echo {}'),
    ]);
    hooks.tell(ENDED);
    await hooks.close();
    expect(runs.map(({ error }) => error)).toEqual([
      'it said deny, and this is only told: no',
      'it ended with exit code 3',
      'it gave no answer within 0.1 s',
      null,
    ]);
  });

  it('are asked once a turn where they say so', async () => {
    const { hooks, runs } = open([toHook('true', { isOnce: true })]);
    for (const turn of ['1.1', '1.1', '2.1']) hooks.tell({ ...ENDED, turn });
    await hooks.close();
    expect(runs.map(({ turn }) => turn)).toEqual(['1.1', '2.1']);
  });

  it('end at once when they are stopped, those that wait too, and all are accounted for', async () => {
    const { hooks, runs, stop } = open([toHook('sleep 30', { timeoutMs: 60_000 })]);
    for (let count = 0; count < MAX_WAITING + 3; count += 1) hooks.tell(ENDED);
    expect(runs.map(({ error }) => error)).toEqual(Array(3).fill(`it was not told: ${MAX_WAITING} others wait`));
    stop();
    await hooks.close();
    expect(runs).toHaveLength(MAX_WAITING + 3);
  });
});
