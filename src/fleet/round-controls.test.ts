import { expect, test } from 'vitest';
import type { Effect } from '../core/run/effects.ts';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { createRoundControls } from './round-controls.ts';

const tell = (id: string, works: Json = null) => ({ type: 'round-tell', words: { id, text: id }, works });

/** A round whose work of others is shown when a test says so; what happened to it, in order. */
function setUp() {
  const did: string[] = [];
  const shown: (() => void)[] = [];
  const obey = createRoundControls(createMemoryFleet(), {
    running: {
      stop: (graceMs) => void did.push(`stop ${graceMs}`),
      finish: () => void did.push('finish'),
      tell: ({ id }) => void did.push(`tell ${id}`),
    },
    reply: (call, { isAccepted }) => void did.push(`reply ${call} ${isAccepted}`),
    show: async (works) => {
      did.push(`show ${works.map(({ name }) => name).join()}`);
      await new Promise<void>((resolve, reject) =>
        shown.push(works.some(({ name }) => name === 'agent9') ? () => reject(new Error('no room')) : resolve),
      );
      did.push('shown');
    },
  });
  return { did, shown, hear: (control: object) => obey(control as unknown as Effect) };
}

const works = (...names: readonly string[]): Json => ({ value: names.map((name) => ({ name, view: 'v', changes: null })) });

test('news that come while the work behind others is being written wait for it, each is told once, and all else does not wait', async () => {
  const { did, shown, hear } = setUp();
  hear(tell('1.1.1', works('agent1')));
  hear(tell('1.1.2', works('agent2', 'agent3')));
  hear(tell('1.1.1', works('agent1')));
  await expect.poll(() => did).toEqual(['show agent1']);
  hear({ type: 'round-reply', call: 3, isAccepted: true, text: '' });
  hear({ type: 'round-finish' });
  hear({ type: 'round-stop', graceMs: 7 });
  expect(did.splice(0)).toEqual(['show agent1', 'reply 3 true', 'finish', 'stop 7']);
  shown.shift()?.();
  await expect.poll(() => did).toEqual(['shown', 'tell 1.1.1', 'show agent2,agent3']);
  shown.shift()?.();
  await expect.poll(() => did.slice(3)).toEqual(['shown', 'tell 1.1.2']);
});

test('an answer is news also where the work behind it cannot be shown, and what comes after it is shown', async () => {
  const { did, shown, hear } = setUp();
  hear(tell('1.1.1', works('agent9')));
  hear(tell('1.1.2', works('agent2')));
  await expect.poll(() => shown).toHaveLength(1);
  shown.shift()?.();
  await expect.poll(() => did).toEqual(['show agent9', 'tell 1.1.1', 'show agent2']);
  shown.shift()?.();
  await expect.poll(() => did.at(-1)).toBe('tell 1.1.2');
  hear({ type: 'iteration-stop' });
  expect(did).toHaveLength(5);
});
