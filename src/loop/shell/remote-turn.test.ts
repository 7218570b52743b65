import { describe, expect, test } from 'vitest';
import type { IterationStart } from '../../core/run/effects.ts';
import type { Input, IterationEnded } from '../../core/run/inputs.ts';
import type { Elsewhere, RemoteResult } from '../../ports/elsewhere.ts';
import type { TurnContext } from './loop-ports.ts';
import { createAwayTurns } from './remote-turn.ts';

const ORDER = { type: 'iteration-start', iteration: 3, attempt: 1, hat: 'builder' } as IterationStart;

/** A turn that has ended on its worker, and whose work does not come. */
async function setUp({ isStopping = false } = {}) {
  const posted: Input[] = [];
  const result: RemoteResult = {
    kind: 'ended',
    ended: { type: 'iteration-ended', outcome: { status: 'succeeded' } } as IterationEnded,
    bringTo: () => Promise.reject(),
    bringIn: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up')))),
  };
  const elsewhere: Elsewhere = {
    start: () => ({ result: Promise.resolve(result), hand: () => undefined, kill: () => undefined }),
    withdraw: async () => undefined,
    close: async () => undefined,
  };
  const context = {
    ports: {
      turns: { close: () => undefined },
      workspace: { keepBefore: async () => 'a', keepAfter: async () => 'a' },
      clock: { now: () => 7 },
      agents: {},
    },
    settings: { stopGraceMs: 20 },
    loop: { post: (input: Input) => posted.push(input), state: () => ({ inboxOffset: 0, stopping: isStopping ? {} : null }) },
  } as unknown as TurnContext;
  const away = createAwayTurns(context, elsewhere);
  await away.start(ORDER);
  return { away, posted };
}

const INTERRUPTED = [{ type: 'iteration-ended', iteration: 3, outcome: { status: 'interrupted' } }];

describe('the work of a turn that does not come home', () => {
  test('is not waited for where the run closes: the turn counts as given up', async () => {
    const { away, posted } = await setUp();
    await away.close();
    expect(posted).toMatchObject(INTERRUPTED);
  });

  test('is not waited for where the turn is stopped by force', async () => {
    const { away, posted } = await setUp();
    await new Promise(setImmediate);
    away.stop(ORDER, true);
    await expect.poll(() => posted).toMatchObject(INTERRUPTED);
  });

  test('has some time where the run is to stop, and all of it where only an agent was to be interrupted', async () => {
    const [stopping, going] = [await setUp({ isStopping: true }), await setUp()];
    await new Promise(setImmediate);
    for (const { away } of [stopping, going]) away.stop(ORDER, false);
    await expect.poll(() => stopping.posted).toMatchObject(INTERRUPTED);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(going.posted).toEqual([]);
    await going.away.close();
  });
});
