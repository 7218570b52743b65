import { describe, expect, it } from 'vitest';
import type { Heard } from '../../runs/run-api.ts';
import { createFakeApp, createFakeContext } from '../fixtures.ts';
import { sayToRun } from './find-steered.ts';

const HERE: Heard = { runId: 'r1', id: 'c1', isRunAlive: false, tell: null, question: null };
const THERE: Heard = { ...HERE, kept: { unansweredMs: null } };
const AWAY = {
  ...{ runId: 'r1', url: 'file:/fleet', fleet: 'file:/fleet', option: '--fleet', isLeft: false, lostAfterMs: 20_000, hasWorkers: true },
  ...{ state: 'held' as const, host: 'desk', worker: 'one' },
};

describe('what is said to a run of this folder', () => {
  /** Its fleet says that it is elsewhere once the process is gone that had it here. */
  const say = async (heard: Heard, isAway = true) => {
    let looks = 0;
    const findAway = async () => {
      looks += 1;
      return isAway && looks > 1 ? AWAY : null;
    };
    const { context } = createFakeContext({ app: { ...createFakeApp(), findAway } });
    const said: unknown[] = [];
    const there = async ({ run }: { readonly run?: string }, id?: { readonly command: string }): Promise<Heard> => {
      said.push(run, id);
      return THERE;
    };
    return { heard: await sayToRun(context, { typed: undefined, run: undefined }, async () => heard, there), said };
  };

  it('is said to whoever has the run under the same id, where a process here ended without hearing it', async () => {
    expect(await say(HERE)).toEqual({ heard: THERE, said: ['r1', { command: 'c1' }] });
  });

  it('is said once where it was heard, where the run is at work here, and where nobody else has it', async () => {
    const living = { ...HERE, isRunAlive: true };
    const told = { ...HERE, tell: { seq: 4 } as unknown as Heard['tell'] };
    for (const heard of [living, told]) expect(await say(heard)).toEqual({ heard, said: [] });
    expect(await say(HERE, false)).toEqual({ heard: HERE, said: [] });
  });
});
