import { describe, expect, it } from 'vitest';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { forget } from './forget-run.ts';

const RUN = { runId: 'r1', fleet: 'nats://h:4222', place: 'here' };
const LEASE = { run: 'r1', epoch: 3, place: 'here', host: 'desk', lostAfterMs: 1000, title: 'Fix it' } as const;

async function keep(state: 'held' | 'free' | 'ended', place: string) {
  const fleet = createMemoryFleet();
  await fleet.leases.write({ ...LEASE, state, place }, 0);
  await fleet.log.append('r1', { behind: 0, name: 'a', body: 1 });
  return fleet;
}

const readEnd = (fleet: ReturnType<typeof createMemoryFleet>): Promise<number> => fleet.log.read('r1', () => undefined);

describe('a removed run that a fleet keeps', () => {
  it('is forgotten where it was stopped or has ended, wherever it was last, and where a dead process of its own folder has it', async () => {
    for (const [state, place] of [
      ['held', 'here'],
      ['free', 'elsewhere'],
      ['ended', 'elsewhere'],
    ] as const) {
      const fleet = await keep(state, place);
      expect(await forget(fleet, RUN)).toContain('is forgotten');
      expect([await fleet.leases.look('r1'), await readEnd(fleet)]).toEqual([null, 0]);
    }
  });

  it('is kept where it goes on in another folder', async () => {
    const fleet = await keep('held', 'elsewhere');
    expect(await forget(fleet, RUN)).toContain('continues on desk');
    expect([(await fleet.leases.look('r1'))?.lease.place, await readEnd(fleet)]).toEqual(['elsewhere', 1]);
  });

  it('is forgotten although words that were said to it cannot be, which is told', async () => {
    const fleet = await keep('free', 'here');
    const words = { ...fleet.words, forget: () => Promise.reject(new Error('the account may not')) };
    expect(await forget({ ...fleet, words }, RUN)).toMatch(/is forgotten by .* stays there: the account may not$/);
    expect(await fleet.leases.look('r1')).toBe(null);
  });

  it('is kept where somebody takes it in that moment', async () => {
    const fleet = await keep('free', 'here');
    const leases: typeof fleet.leases = {
      ...fleet.leases,
      look: async (run) => {
        const seen = await fleet.leases.look(run);
        await fleet.leases.write({ ...LEASE, state: 'held', place: 'elsewhere', epoch: 4 }, seen?.beat ?? 0);
        return seen;
      },
    };
    expect(await forget({ ...fleet, leases }, RUN)).toContain('keeps it');
    expect(await readEnd(fleet)).toBe(1);
  });
});
