import { afterEach, describe, expect, test } from 'vitest';
import type { HookEvent, HookSpec } from '../core/hooks/hook-spec.ts';
import { isJsonObject } from '../core/values/json.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { parseHookTask } from './hook-messages.ts';
import { fromBody, toBody } from './messages.ts';
import { offerPrograms } from './offer-programs.ts';
import { toHookProgram } from './program-kinds.ts';

const SPEC: HookSpec = {
  ...{ name: 'check', event: 'EventPublish', matcher: '*', timeoutMs: 1000, isFailClosed: false, place: 'ralph.yml:1', runsOn: ['gpu'] },
  handler: { kind: 'command', argv: ['sh', '/home/of/the/run/check.sh'], file: { path: '/home/of/the/run/check.sh', sha256: 'ab' } },
};
const EVENT: HookEvent = {
  ...{ schema_version: 1, hook_type: 'EventPublish', hook_event_name: 'EventPublish', session_id: '7', orchestrator_id: 'r1' },
  ...{ agent_id: 'builder', timestamp: '2026-11-27T08:00:00.000Z', tool_name: '', tool_use_id: '', tool_input: {} },
  ...{ tool_output: null, tool_is_error: null, cwd: '/home/of/the/run', hat: 'builder', iteration: 7 },
};

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

function setUp() {
  const fleet = createMemoryFleet();
  const programs = offerPrograms({
    ...{ fleet, run: 'r1', steady: () => performance.now(), tell: () => undefined, lostAfterMs: 300 },
    ...{ isOwn: () => true, confirm: async () => undefined, cwd: '/home/of/the/run' },
  });
  closes.push(programs.close);
  const claim = (protocol: number, withinMs: number) =>
    fleet.queue.claim({ id: 'one', labels: ['gpu'], protocol }, AbortSignal.timeout(withinMs));
  return { fleet, programs, claim };
}

describe('a hook that is offered', () => {
  test('is one order, for workers that have its labels and know hooks, and what its worker reports is its outcome', async () => {
    const { fleet, programs, claim } = setUp();
    const program = toHookProgram({ spec: SPEC, event: EVENT }, 1, ['/home/of/the/run']);
    if (program === null) throw new Error('it does not travel');
    const asked = programs.run(program, async () => ({ tree: 't' }), new AbortController().signal);
    expect(await claim(3, 300)).toBe(null);
    const taken = await claim(4, 5000);
    if (taken === null) throw new Error('there is nothing to take');
    expect([taken.order.name, taken.order.labels]).toEqual(['hook2', ['gpu']]);
    const body = await fromBody(fleet.blobs, taken.order.body);
    const task = parseHookTask(isJsonObject(body) ? (body['task'] ?? null) : null);
    expect(task).toMatchObject({
      ...{ name: 'check', event: 'EventPublish', timeoutMs: 1000, cwd: '/home/of/the/run', told: EVENT },
      handler: { kind: 'script', path: 'check.sh', sha256: 'ab', args: [] },
    });
    const outcome = { kind: 'denied', reason: 'no', answer: null } as const;
    const words = { kind: 'hook', offer: task?.offer ?? '', outcome, trouble: '' };
    await fleet.reports.append({ run: 'r1', name: 'hook2', worker: 'one', number: 1, body: await toBody(fleet.blobs, words) });
    expect(await asked).toEqual({ kind: 'ran', worker: 'one', outcome });
  });

  test('is named by the beginning of its command where that is its name', () => {
    const name = 'pytest -q --maxfail=1 tests/gpu/test_everything_that_needs_a_card.py >&2 || exit 2';
    const program = toHookProgram({ spec: { ...SPEC, name }, event: EVENT }, 0, ['/home/of/the/run']);
    expect(program?.title).toBe('Hook pytest -q --maxfail=1 tests/gpu/test_ev…');
  });

  test('is none where its script is not in the folder of the run', () => {
    expect(toHookProgram({ spec: SPEC, event: EVENT }, 0, ['/home/of/another'])).toBe(null);
  });

  test('waits until what a process before this one offered is ended', async () => {
    const { fleet, programs, claim } = setUp();
    await fleet.queue.offer({ run: 'r1', name: 'hook2', labels: ['gpu'], protocol: 4, body: null });
    const before = await claim(4, 5000);
    const heard: unknown[] = [];
    fleet.wires.answer({ run: 'r1', name: 'hook2' }, (words) => heard.push(words));
    programs.dropLeft(['hook1', 'hook2']);
    await programs.close();
    expect([heard, await before?.beat()]).toEqual([[{ kind: 'kill' }], false]);
  });
});
