import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/core/run/inputs.ts';
import { openJsonlJournal, readJournal } from '../../src/journal/index.ts';
import { createFailingCalls, type FailurePlan } from '../faults/failing-calls.ts';
import { createMemoryDisk, type MemoryDisk, PowerLoss } from '../faults/memory-disk.ts';
import { createSeededRandom, drawInteger, type Random } from '../faults/seeded-random.ts';

const PATH = '/project/.ralph/runs/r1/journal.jsonl';
const SEEDS = Number(process.env['RALPH_FAULT_SEEDS'] ?? 10_000);
const ROUNDS = 4;

function toInput(number: number): Input {
  return { type: 'timer-fired', at: number, timer: number * 7 };
}

function toInputs(count: number): Input[] {
  return Array.from({ length: count }, (_, index) => toInput(index + 1));
}

/** What the program that died had been told, and had tried. */
interface Progress {
  acknowledged: number;
  attempted: number;
}

/** One life of a program: recover, check, append until the power goes (or until it has had enough). */
function live(disk: MemoryDisk, progress: Progress, random: Random): void {
  const before = disk.peek(PATH);
  const found: Input[] = [];
  const { journal, lastSeq, damage } = openJsonlJournal({ fs: disk.fs, path: PATH }, (entry) => found.push(entry.input));
  expect(lastSeq).toBe(found.length);
  expect(lastSeq).toBeGreaterThanOrEqual(progress.acknowledged);
  expect(lastSeq).toBeLessThanOrEqual(progress.attempted);
  expect(found).toEqual(toInputs(lastSeq));
  expectNamedDamage(disk, before, damage);
  progress.acknowledged = lastSeq;
  progress.attempted = lastSeq;
  for (let left = drawInteger(random, 8); left > 0; left -= 1) {
    progress.attempted += 1;
    journal.append(toInput(progress.attempted));
    progress.acknowledged += 1;
  }
  journal.close();
}

/** Every byte that the journal no longer holds is named and kept. */
function expectNamedDamage(disk: MemoryDisk, before: Buffer | null, damage: ReturnType<typeof openJsonlJournal>['damage']): void {
  const after = disk.peek(PATH);
  const lost = before?.subarray(after?.length) ?? Buffer.alloc(0);
  if (damage === null) {
    expect(lost.length).toBe(0);
    return;
  }
  expect(damage).toMatchObject({ goodBytes: after?.length, lostBytes: lost.length });
  const aside = /set aside in (\S+)$/.exec(damage.message)?.[1];
  expect(disk.peek(PATH.replace('journal.jsonl', aside ?? ''))).toEqual(lost);
}

/** What stands behind the good entries of the journal; `null` if nothing does. */
function findDamage(disk: MemoryDisk): Buffer | null {
  const bytes = disk.peek(PATH);
  if (bytes === null) return null;
  const { goodBytes, damage } = readJournal({ fs: disk.fs, path: PATH }, () => {});
  return damage === null ? null : bytes.subarray(goodBytes);
}

/** Damaged bytes are never thrown away: they stand in the journal still, or aside. */
function expectKept(disk: MemoryDisk, damaged: Buffer, where: string): void {
  const isInJournal = disk.peek(PATH)?.subarray(-damaged.length).equals(damaged) ?? false;
  const asides = Array.from({ length: ROUNDS * 2 }, (_, index) => disk.peek(`${PATH}.damaged-${index + 1}`));
  expect(isInJournal || asides.some((aside) => aside?.equals(damaged)), where).toBe(true);
}

describe('a journal on a disk that loses, reorders, tears, zeroes and garbles what was not synced', () => {
  it(`recovers a prefix with every acknowledged entry and names the damage, over ${SEEDS} seeds`, () => {
    let damaged = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const random = createSeededRandom(seed);
      const disk = createMemoryDisk();
      const progress = { acknowledged: 0, attempted: 0 };
      const damages: Buffer[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        disk.cutPowerAt(1 + drawInteger(random, 60));
        try {
          live(disk, progress, random);
        } catch (error) {
          if (!(error instanceof PowerLoss)) throw new Error(`seed ${seed}, round ${round}`, { cause: error });
        }
        disk.restart(random);
        for (const damage of damages) expectKept(disk, damage, `seed ${seed}, round ${round}`);
        const damage = findDamage(disk);
        if (damage !== null) damages.push(damage);
      }
      live(disk, progress, random);
      damaged += damages.length;
    }
    // The disk does what it is there for.
    expect(damaged).toBeGreaterThan(SEEDS / 20);
    // Only computes; on a loaded machine of two cores longer than the 30 s of a contract test.
  }, 180_000);
});

/** Opens, appends five entries, reads and closes; tells which entries were acknowledged and which refused. */
function useJournal(fs: MemoryDisk['fs']) {
  const acknowledged: Input[] = [];
  const refused: Input[] = [];
  const { journal } = openJsonlJournal({ fs, path: PATH });
  for (let number = 1; number <= 5; number += 1) {
    const input = toInput(number);
    try {
      journal.append(input);
      acknowledged.push(input);
    } catch {
      refused.push(input);
    }
  }
  const read: Input[] = [];
  try {
    journal.read((entry) => read.push(entry.input));
    expect(read).toEqual(acknowledged);
  } catch (error) {
    expect(error).toHaveProperty('code');
  }
  try {
    journal.close();
  } catch {
    // Nothing is lost by it.
  }
  return { acknowledged, refused };
}

function recover(disk: MemoryDisk): Input[] {
  const found: Input[] = [];
  openJsonlJournal({ fs: disk.fs, path: PATH }, (entry) => found.push(entry.input)).journal.close();
  return found;
}

describe.each<FailurePlan['code']>(['ENOSPC', 'EIO', 'EMFILE', 'short-write'])('a journal whose n-th call fails with %s', (code) => {
  const countCalls = (): number => {
    const disk = createMemoryDisk();
    useJournal(disk.fs);
    return disk.countCalls();
  };

  it('reads back exactly the acknowledged entries after any single failure', () => {
    for (let at = 1; at <= countCalls() + 3; at += 1) {
      const disk = createMemoryDisk();
      let acknowledged: Input[] = [];
      try {
        acknowledged = useJournal(createFailingCalls(disk.fs, { code, at, count: 1 })).acknowledged;
      } catch (error) {
        expect(error).toHaveProperty('code', code === 'short-write' ? 'ENOSPC' : code);
      }
      expect(recover(disk), `call ${at}`).toEqual(acknowledged);
    }
  });

  it.each([2, 3, 1000])('loses no acknowledged entry and takes none after a gap when %i calls fail in a row', (count) => {
    for (let at = 1; at <= countCalls() + 3; at += 1) {
      const disk = createMemoryDisk();
      let outcome: { acknowledged: Input[]; refused: Input[] } = { acknowledged: [], refused: [] };
      try {
        outcome = useJournal(createFailingCalls(disk.fs, { code, at, count }));
      } catch (error) {
        expect(error).toHaveProperty('code');
      }
      const found = recover(disk);
      const { acknowledged, refused } = outcome;
      // An entry that was written, and whose sync and removal both failed, may be found; nothing else that was refused may.
      const undecided = found.length > acknowledged.length ? refused.slice(0, 1) : [];
      expect(found, `call ${at}`).toEqual([...acknowledged, ...undecided]);
    }
  });

  it('keeps a damaged journal whole when setting the damage aside fails', () => {
    const good = createMemoryDisk();
    useJournal(good.fs);
    const damagedBytes = Buffer.concat([good.peek(PATH) ?? Buffer.alloc(0), Buffer.from('{"crc":"0000')]);
    for (let at = 1; at <= 40; at += 1) {
      const disk = createMemoryDisk();
      useJournal(disk.fs);
      disk.put(PATH, damagedBytes);
      try {
        openJsonlJournal({ fs: createFailingCalls(disk.fs, { code, at, count: 1 }), path: PATH }).journal.close();
      } catch {
        const kept = disk.peek(PATH)?.length === damagedBytes.length || disk.peek(`${PATH}.damaged-1`)?.toString() === '{"crc":"0000';
        expect(kept, `call ${at}`).toBe(true);
      }
      expect(recover(disk)).toEqual(toInputs(5));
    }
  });
});
