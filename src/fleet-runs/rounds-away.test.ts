import { expect, test } from 'vitest';
import type { IterationStart } from '../core/run/effects.ts';
import { createPanel } from '../core/run/panel-state.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { PROTOCOL } from '../fleet/messages.ts';
import { listServing } from './offer-to-fleet.ts';
import { canSpread, toOrderLabels, toRoundLabels } from './rounds-away.ts';

const SETTINGS = {
  backends: { designer: [{ type: 'claude' }, { type: 'codex' }] },
  runsOn: { designer: ['gpu'] },
} as unknown as Parameters<typeof canSpread>[1];
const ORDER = { iteration: 7, attempt: 1, hat: 'designer', backend: 0, panel: createPanel(2) } as unknown as IterationStart;
const worker = (labels: readonly string[], protocol: number) => ({ id: labels.join('-'), labels, protocol });

test('a round asks for the program of its agent and what the hat asks for, a whole panel for those of all', () => {
  expect([0, 1].map((agent) => toRoundLabels(SETTINGS, { order: ORDER, agent }))).toEqual([
    ['claude', 'gpu'],
    ['codex', 'gpu'],
  ]);
  expect(toOrderLabels(SETTINGS, ORDER)).toEqual(['claude', 'codex', 'gpu']);
});

test('a panel spreads, but where a worker of an older version can take it whole and no newer one one of its agents', () => {
  const all = ['claude', 'codex', 'gpu'];
  const spreads = (...there: readonly ReturnType<typeof worker>[]): boolean => canSpread(there, SETTINGS, ORDER);
  expect(spreads()).toBe(true);
  expect(spreads(worker(all, 4))).toBe(false);
  expect(spreads(worker(all, PROTOCOL), worker(all, 4))).toBe(true);
  expect(spreads(worker(['claude', 'gpu'], PROTOCOL), worker(['codex', 'gpu'], PROTOCOL), worker(all, 4))).toBe(true);
  expect(spreads(worker(['claude', 'gpu'], PROTOCOL), worker(all, 4))).toBe(false);
  // None can take it whole: it waits for newer ones.
  expect(spreads(worker(['claude', 'codex'], 4))).toBe(true);
});

test('a worker that drains takes no agent of a panel, so nothing spreads for its sake', async () => {
  const fleet = createMemoryFleet();
  const tell = (labels: readonly string[], protocol: number, isDraining: boolean) =>
    fleet.workers.tell({ ...worker(labels, protocol), id: `w${protocol}`, token: 't', slots: 1, busy: [], isDraining });
  const all = ['claude', 'codex', 'gpu'];
  await tell(all, PROTOCOL, false);
  await tell(all, 4, false);
  expect(canSpread(await listServing(fleet), SETTINGS, ORDER)).toBe(true);
  await tell(all, PROTOCOL, true);
  expect(canSpread(await listServing(fleet), SETTINGS, ORDER)).toBe(false);
  await tell(all, 4, true);
  expect(await listServing(fleet)).toEqual([]);
  const workers = { ...fleet.workers, list: () => Promise.reject(new Error('away')) };
  expect(await listServing({ workers })).toEqual([]);
});
