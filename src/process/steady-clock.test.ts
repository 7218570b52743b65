import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Expiry, type StopClock, startStopClock } from './steady-clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(limits: { timeoutMs?: number; idleTimeoutMs?: number }, isHeld = () => false): { clock: StopClock; expired: Expiry[] } {
  const expired: Expiry[] = [];
  return { clock: startStopClock({ ...limits, isHeld, onExpiry: (expiry) => expired.push(expiry) }), expired };
}

describe('the stop clock', () => {
  it('expires once when the life is over', () => {
    const { expired } = start({ timeoutMs: 1000, idleTimeoutMs: 5000 });
    vi.advanceTimersByTime(999);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(expired).toEqual(['timeout']);
  });

  it('starts the silence anew at every output', () => {
    const { clock, expired } = start({ idleTimeoutMs: 1000 });
    for (let step = 0; step < 10; step += 1) {
      vi.advanceTimersByTime(900);
      clock.touch();
    }
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1100);
    expect(expired).toEqual(['idle-timeout']);
  });

  it('does not count silence while the child is held back', () => {
    let isHeld = true;
    const { clock, expired } = start({ idleTimeoutMs: 1000 }, () => isHeld);
    vi.advanceTimersByTime(10_000);
    expect(expired).toEqual([]);
    isHeld = false;
    clock.touch();
    vi.advanceTimersByTime(1100);
    expect(expired).toEqual(['idle-timeout']);
  });

  it('stands while a person is waited for: neither the life nor the silence counts', () => {
    const hold = createHold();
    const expired: Expiry[] = [];
    startStopClock({ timeoutMs: 1000, idleTimeoutMs: 700, isHeld: () => false, hold, onExpiry: (expiry) => expired.push(expiry) });
    vi.advanceTimersByTime(600);
    hold.begin();
    vi.advanceTimersByTime(3_600_000);
    expect(expired).toEqual([]);
    hold.end();
    vi.advanceTimersByTime(90);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(expired).toEqual(['idle-timeout']);
  });

  it('counts the life from where it stood', () => {
    const hold = createHold();
    const expired: Expiry[] = [];
    startStopClock({ timeoutMs: 1000, isHeld: () => false, hold, onExpiry: (expiry) => expired.push(expiry) });
    vi.advanceTimersByTime(900);
    hold.begin();
    vi.advanceTimersByTime(10_000);
    hold.end();
    vi.advanceTimersByTime(95);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(150);
    expect(expired).toEqual(['timeout']);
  });

  it('takes 0, nothing and infinity as no limit, and keeps limits beyond what a timer can hold', () => {
    const monthMs = 30 * 24 * 3600 * 1000;
    const all = [start({}), start({ timeoutMs: 0, idleTimeoutMs: Number.POSITIVE_INFINITY }), start({ timeoutMs: monthMs })];
    vi.advanceTimersByTime(monthMs - 1000);
    expect(all.flatMap((one) => one.expired)).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(all.map((one) => one.expired)).toEqual([[], [], ['timeout']]);
  });

  it('says nothing after it was stopped', () => {
    const { clock, expired } = start({ timeoutMs: 10, idleTimeoutMs: 10 });
    clock.stop();
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual([]);
  });
});

/** As a turn that asks people: held from one moment to another. */
function createHold() {
  let since: number | null = null;
  let heldMs = 0;
  return {
    begin: () => {
      since = performance.now();
    },
    end: () => {
      heldMs += performance.now() - (since ?? 0);
      since = null;
    },
    isHeld: () => since !== null,
    heldMs: () => heldMs + (since === null ? 0 : performance.now() - since),
  };
}
