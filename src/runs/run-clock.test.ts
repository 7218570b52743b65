import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRunClock } from './run-clock.ts';

/** What happens to a machine: time passes, it sleeps, somebody sets its clock. */
const happenings = fc.array(
  fc.record({ kind: fc.constantFrom('pass', 'sleep', 'set'), ms: fc.integer({ min: 0, max: 10 * 365 * 86_400_000 }), back: fc.boolean() }),
  { maxLength: 30 },
);

function createMachine() {
  const at = { wall: 1_750_000_000_000, steady: 5, uptime: 100_000 };
  return {
    at,
    clock: createRunClock({ wall: () => at.wall, steady: () => at.steady, awakeAndAsleep: () => Math.floor(at.uptime / 1000) * 1000 }),
    pass(ms: number) {
      at.wall += ms;
      at.steady += ms;
      at.uptime += ms;
    },
    sleep(ms: number) {
      at.wall += ms;
      at.uptime += ms;
    },
  };
}

describe('the clock of a run', () => {
  it('begins at the time of day and knows only what really passed, whatever the machine is set to', () => {
    fc.assert(
      fc.property(happenings, (list) => {
        const machine = createMachine();
        const start = machine.at.wall;
        let [passedMs, sleeps, last] = [0, 0, machine.clock.now()];
        expect(last).toBe(start);
        for (const { kind, ms, back } of list) {
          if (kind === 'set') machine.at.wall += back ? -ms : ms;
          else {
            if (kind === 'pass') machine.pass(ms);
            else machine.sleep(ms);
            // Whether the machine slept is seen half a second later at most.
            if (kind === 'sleep') machine.pass(500);
            sleeps += kind === 'sleep' ? 1 : 0;
            passedMs += kind === 'sleep' ? ms + 500 : ms;
          }
          const now = machine.clock.now();
          expect(now).toBeGreaterThanOrEqual(last);
          // A sleep is known to the second, and a short one not at all.
          expect(Math.abs(now - start - passedMs)).toBeLessThanOrEqual(sleeps === 0 ? 1 : 3000 * (sleeps + 1));
          last = now;
        }
      }),
    );
  });

  it('asks the system no more than twice a second whether it slept', () => {
    let asked = 0;
    const clock = createRunClock({ wall: () => 0, steady: () => 5, awakeAndAsleep: () => (asked += 1) });
    for (let piece = 0; piece < 10_000; piece += 1) clock.now();
    expect(asked).toBe(1);
  });

  it('fires a timer when its time has come, though the machine was set back', async () => {
    const machine = createMachine();
    const fired = new Promise<void>((resolve) => {
      machine.clock.setTimer(machine.clock.now() + 5, resolve);
    });
    machine.at.wall -= 20 * 365 * 86_400_000;
    await fired;
    expect(machine.clock.now()).toBe(1_750_000_000_000);
  });
});
