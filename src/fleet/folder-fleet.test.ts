import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fleet, RunLease } from '../ports/fleet.ts';
import { openFolderFleet } from './folder-fleet.ts';

let root: string;
const opened: Fleet[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-fleet-'));
});
afterEach(async () => {
  for (const fleet of opened.splice(0)) await fleet.close();
  rmSync(root, { recursive: true, force: true });
});

async function open(): Promise<Fleet> {
  const fleet = await openFolderFleet(join(root, 'fleet'));
  opened.push(fleet);
  return fleet;
}

const lease: RunLease = { run: 'r1', epoch: 1, place: 'p', host: 'h', state: 'held', lostAfterMs: 1000, title: 't' };

describe('a fleet in a folder', () => {
  it('is the same one where the folder was moved away and put back', async () => {
    const fleet = await open();
    renameSync(join(root, 'fleet'), join(root, 'away'));
    expect(await fleet.check()).toBe('gone');
    await expect(fleet.leases.look('r1')).rejects.toThrow("the fleet's folder is gone");
    renameSync(join(root, 'away'), join(root, 'fleet'));
    expect([await fleet.check(), await fleet.leases.look('r1')]).toEqual(['same', null]);
  });

  it('that is gone is not made anew by who had it open, so it can be put back', async () => {
    const fleet = await open();
    renameSync(join(root, 'fleet'), join(root, 'away'));
    const writing = { behind: 0, name: 'w', body: null };
    const tries = [
      () => fleet.blobs.put(new Uint8Array([1])),
      () => fleet.log.append('r1', writing),
      () => fleet.reports.append({ run: 'r1', name: '1.1', worker: 'w', number: 1, body: null }),
      () => fleet.leases.write(lease, 0),
      () => fleet.words.keep('r1', { id: 'w', body: null }),
      async () => fleet.wires.answer({ run: 'r1', name: '1.1' }, () => undefined),
    ];
    for (const act of tries) await act().catch(() => undefined);
    expect(existsSync(join(root, 'fleet'))).toBe(false);
  });

  it('is another one where it was removed and made again: who had the old one open writes nothing there', async () => {
    const fleet = await open();
    for (let beat = await fleet.leases.write(lease, 0), times = 0; times < 5; times += 1) beat = await fleet.leases.write(lease, beat ?? 0);
    rmSync(join(root, 'fleet'), { recursive: true });
    const anew = await open();
    expect([await fleet.check(), await anew.check()]).toEqual(['other', 'same']);
    const writing = { behind: 0, name: 'w', body: null };
    for (const write of [
      () => fleet.leases.write(lease, 0),
      () => fleet.leases.list(),
      () => fleet.words.keep('r1', { id: 'w', body: null }),
      () => fleet.words.list('r1'),
      () => fleet.log.append('r1', writing),
      () => fleet.reports.append({ run: 'r1', name: '1.1', worker: 'w', number: 1, body: null }),
    ])
      await expect(write()).rejects.toThrow('removed and made again');
    const seen: unknown[] = [];
    await anew.log.read('r1', (body) => seen.push(body));
    await (await anew.reports.follow('r1', (report) => seen.push(report)))();
    expect([await anew.leases.list(), seen]).toEqual([[], []]);
    expect(await anew.leases.write(lease, 0)).not.toBeNull();
  });
});
