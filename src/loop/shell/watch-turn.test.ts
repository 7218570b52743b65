import { expect, it } from 'vitest';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { Signal } from '../../core/events/event.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import type { Json } from '../../core/values/json.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import type { LoopPorts, LoopView } from './loop-ports.ts';
import { createCostGuard, createLingeringWatch } from './watch-turn.ts';

const TEAM = compileTopology(makeSpec({ hats: [makeHat('builder', ['build.task'], ['build.done'])] }));

/** After how many seconds the builder is dismissed who does these things at these seconds; `null`: within a minute it is not. */
function dismissedAt(
  deeds: Readonly<Record<number, string | { readonly emits: string; readonly refused?: true; readonly payload?: number }>>,
  cpuMsAt: (second: number) => number = () => 0,
): number | null {
  let now = 0;
  let written: readonly Signal[] = [];
  let due: { readonly at: number; readonly call: () => void } | null = null;
  let dismissed: number | null = null;
  const ports = {
    clock: {
      now: () => now,
      setTimer: (at: number, call: () => void) => {
        due = { at, call };
        return () => {
          due = null;
        };
      },
    },
    inbox: {
      hasMore: (offset: number) => offset < written.length,
      read: (offset: number) => ({ signals: written.slice(offset), problems: [], offset: written.length }),
    },
    checkPayload: (_topic: string, payload: Json) => (typeof payload === 'number' ? { problem: 'payload is number' } : { payload }),
  } as unknown as LoopPorts;
  const loop = { topology: () => TEAM, state: () => ({ inboxOffset: 0 }) } as unknown as LoopView;
  const watch = createLingeringWatch(ports, loop, { hat: 'builder' } as IterationStart);
  watch.begin?.({
    result: new Promise(() => {}),
    stop: () => {},
    kill: () => {},
    cpuMs: () => cpuMsAt(now / 1000),
    dismiss: () => {
      dismissed = now / 1000;
    },
  });
  for (let second = 0; second <= 60 && dismissed === null; second += 1) {
    now = second * 1000;
    const deed = deeds[second];
    if (typeof deed === 'string') watch.take({ type: 'text', text: deed } satisfies BackendEvent);
    else if (deed !== undefined) {
      const refused = deed.refused === true ? { refused: { why: 'payload', detail: '' } as const } : {};
      written = [...written, { kind: 'event', channel: 'jsonl', topic: deed.emits, payload: deed.payload ?? '', ...refused }];
    }
    const timer = due as { readonly at: number; readonly call: () => void } | null;
    if (timer !== null && timer.at <= now) timer.call();
  }
  return dismissed;
}

it('an agent that published what it may and is silent is dismissed after 5 s', () => {
  expect(dismissedAt({ 3: { emits: 'build.done' } })).toBe(8);
  expect(dismissedAt({ 3: { emits: 'build.done' }, 4: 'Published build.done\n' })).toBe(9);
  expect(dismissedAt({ 3: 'Built.\nEVENT:build.done\n' })).toBe(8);
});

it('an agent that says more afterwards works on, until it publishes again', () => {
  expect(dismissedAt({ 3: { emits: 'build.done' }, 7: 'Now the docs.\n' })).toBeNull();
  expect(dismissedAt({ 3: 'EVENT:build.done\nNow the docs.\n' })).toBeNull();
  expect(dismissedAt({ 3: { emits: 'build.done' }, 7: 'Now the docs.\n', 20: { emits: 'build.done' } })).toBe(25);
});

it('silence alone, what the hat may not publish, and an end that it may not declare dismiss nobody', () => {
  expect([dismissedAt({ 3: 'Thinking.\n' }), dismissedAt({ 3: { emits: 'deploy.start' } }), dismissedAt({ 3: 'LOOP_COMPLETE\n' })]).toEqual(
    [null, null, null],
  );
});

it('an agent whose processes work on in silence is dismissed 5 s after they are done', () => {
  const untilSecond = (last: number) => (second: number) => Math.min(second, last) * 900;
  expect(dismissedAt({ 3: { emits: 'build.done' } }, untilSecond(30))).toBe(35);
  expect(dismissedAt({ 3: { emits: 'build.done' } }, untilSecond(100))).toBeNull();
});

it('what an idle program uses of a processor is no work', () => {
  expect(dismissedAt({ 3: { emits: 'build.done' } }, (second) => second * 20)).toBe(8);
});

it('an event that is refused hands nothing over', () => {
  expect([dismissedAt({ 3: { emits: 'build.done', refused: true } }), dismissedAt({ 3: { emits: 'build.done', payload: 1 } })]).toEqual([
    null,
    null,
  ]);
});

const TEXT: BackendEvent = { type: 'text', text: 'on I go' };
const END: BackendEvent = { type: 'message-end' };

/** What the loop hears of a turn with these events, in a run with $0.60 of a limit spent. Tokens of model `m` cost a dollar each. */
function told(events: readonly BackendEvent[], maxCostUsd: number | null = 1): readonly Input[] {
  const inputs: Input[] = [];
  const ports = {
    clock: { now: () => 7 },
    agents: {
      priceOf: (_: unknown, usage: { outputTokens: number | null }, model: string | null) => (model === 'm' ? usage.outputTokens : null),
    },
  } as unknown as LoopPorts;
  const state = { usage: { ...UNKNOWN_USAGE, costUsd: 0.6 }, limits: { maxCostUsd } };
  const loop = { post: (input: Input) => void inputs.push(input), state: () => state } as unknown as LoopView;
  const guard = createCostGuard(ports, loop, { iteration: 2, attempt: 1 } as IterationStart);
  for (const event of events) guard.take(event);
  return inputs;
}

const spent = (costUsd: number): BackendEvent => ({ type: 'usage', usage: { ...UNKNOWN_USAGE, costUsd } });

it('tells the loop once that the limit is reached, as soon as the agent goes on', () => {
  expect(told([spent(0.4), END])).toEqual([]);
  expect(told([spent(0.3), TEXT, spent(0.4), TEXT, TEXT, spent(0.9), TEXT])).toEqual([
    { type: 'usage-reported', at: 7, iteration: 2, attempt: 1, usage: { ...UNKNOWN_USAGE, costUsd: 0.4 } },
  ]);
});

it('tells nothing where there is no limit, where it is not reached, or where nobody knows the cost', () => {
  const tokens: BackendEvent = { type: 'usage', usage: { ...UNKNOWN_USAGE, outputTokens: 3 } };
  expect([told([spent(9), TEXT], null), told([spent(0.39), TEXT]), told([tokens, TEXT])]).toEqual([[], [], []]);
});

it('makes money of tokens by the price of the model that the session named', () => {
  const tokens: BackendEvent = { type: 'usage', usage: { ...UNKNOWN_USAGE, outputTokens: 3 } };
  expect(told([{ type: 'session', sessionId: 's', model: 'm' }, tokens, TEXT])).toMatchObject([{ usage: { outputTokens: 3, costUsd: 3 } }]);
});
