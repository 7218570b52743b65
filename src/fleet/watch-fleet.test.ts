import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FleetFate } from '../ports/fleet.ts';
import { watchFleet } from './watch-fleet.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Watches a fleet that answers so, one after the other, and the last one for ever. */
function watch(...answers: readonly (() => Promise<FleetFate>)[]) {
  const heard: unknown[] = [];
  const stop = new AbortController();
  let asked = 0;
  const check = (): Promise<FleetFate> => {
    asked += 1;
    return (answers[asked - 1] ?? answers.at(-1) ?? here)();
  };
  const isOther = watchFleet({ check }, (isAway, forMs, why) => heard.push([isAway, Math.round(forMs / 1000), why]), stop.signal, 0);
  return { heard, isOther, stop };
}

const here = async (): Promise<FleetFate> => {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return 'same';
};
const silent = async (): Promise<FleetFate> => {
  await new Promise((resolve) => setTimeout(resolve, 5000));
  throw new Error('timeout');
};

/** Lets what waits for timers that are no fakes go on, too. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds * 2; second += 1) {
    await vi.advanceTimersByTimeAsync(500);
    await pause(5);
  }
}

describe('a fleet that a worker has joined', () => {
  it('is told to be away after some seconds of silence, once, and to be there again with the first answer', async () => {
    const { heard, stop } = watch(here, silent, silent, silent, here);
    await pass(3);
    expect(heard).toEqual([]);
    await pass(2);
    expect(heard).toEqual([[true, 3, undefined]]);
    await pass(14);
    expect(heard).toEqual([
      [true, 3, undefined],
      [false, 16, undefined],
    ]);
    stop.abort();
  });

  it('is told to be away at once where its folder is gone', async () => {
    const { heard, stop } = watch(async () => 'gone');
    await pass(1);
    expect(heard).toEqual([[true, 0, "the fleet's folder is gone"]]);
    stop.abort();
  });

  it('is watched no more where another one is in its place', async () => {
    const { heard, isOther } = watch(here, async () => 'other');
    await pass(2);
    expect([await isOther, heard]).toEqual([true, []]);
  });

  it('is not waited for by who is told to end', async () => {
    const { isOther, stop } = watch(() => new Promise(() => undefined));
    await pass(1);
    stop.abort();
    expect(await isOther).toBe(false);
  });
});

it('tells nothing of a fleet any more once nobody watches it, also where a question to it is still open', async () => {
  const { heard, isOther, stop } = watch(silent);
  stop.abort();
  expect(await isOther).toBe(false);
  await vi.advanceTimersByTimeAsync(6000);
  expect(heard).toEqual([]);
});
