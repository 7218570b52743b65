import { describe, expect, it } from 'vitest';
import {
  acquireLock,
  appendAgentLine,
  createJsonlInbox,
  createRunFolder,
  createRunId,
  createTurnStore,
  type FileSystem,
  type LockSettings,
  listRunIds,
  readSettings,
  removeRun,
  writeSettings,
} from '../../src/journal/index.ts';
import { createFailingCalls, type FailurePlan } from '../faults/failing-calls.ts';
import { createMemoryDisk, type MemoryDisk, PowerLoss } from '../faults/memory-disk.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';

const CODES = ['ENOSPC', 'EIO', 'EMFILE', 'short-write'] as const;
const EVENTS = '/p/.agent/events.jsonl';
const STATE = '/p/.ralph';
const SETTINGS = `${STATE}/settings.json`;

/** A disk on which the folders are there, and last. */
function createDisk(): MemoryDisk {
  const disk = createMemoryDisk(() => 1_000_000);
  for (const folder of ['/p', '/p/.agent', STATE]) disk.fs.makeFolder(folder);
  for (const folder of ['/', '/p']) disk.fs.syncFolder(folder);
  return disk;
}

/** Runs `use` once for every call that it makes, with that call (and `count - 1` after it) failing, on a new disk each time. */
function failEach(
  code: FailurePlan['code'],
  count: number,
  use: (fs: FileSystem, disk: MemoryDisk) => void,
  check: (disk: MemoryDisk, at: number) => void,
) {
  const calm = createDisk();
  const callsBefore = calm.countCalls();
  use(calm.fs, calm);
  const calls = calm.countCalls() - callsBefore;
  expect(calls).toBeGreaterThan(2);
  for (let at = 1; at <= calls + 3; at += 1) {
    const disk = createDisk();
    try {
      use(createFailingCalls(disk.fs, { code, at, count }), disk);
    } catch (error) {
      expect(error, `call ${at}`).toHaveProperty('code');
    }
    check(disk, at);
  }
}

describe.each(CODES)('when any call fails with %s', (code) => {
  it.each([1, 2, 1000])('the inbox never throws and loses and repeats no event (%i calls in a row)', (count) => {
    const lines = Buffer.from('{"topic":"a"}\nbad\n{"topic":"b"}\n{"topic":"c"}');
    let inbox: ReturnType<typeof createJsonlInbox> | null = null;
    let topics: string[] = [];
    let offset = 0;
    const read = (from: ReturnType<typeof createJsonlInbox>, final: boolean) => {
      const batch = from.read(offset, { final });
      offset = batch.offset;
      topics.push(...batch.signals.map((signal) => signal.topic));
    };
    failEach(
      code,
      count,
      (fs, disk) => {
        [topics, offset] = [[], 0];
        disk.put(EVENTS, lines.subarray(0, 20));
        inbox = createJsonlInbox({ fs, path: EVENTS, label: 'events' });
        read(inbox, false);
        disk.put(EVENTS, lines);
        read(inbox, false);
        read(inbox, true);
        read(inbox, true);
      },
      (disk, at) => {
        // A new process, on a disk that works again.
        read(createJsonlInbox({ fs: disk.fs, path: EVENTS, label: 'events' }), true);
        expect(topics, `call ${at}`).toEqual(['a', 'b', 'c']);
      },
    );
  });

  it('an emitted event is there or not there, and the next one is whole', () => {
    let isDone = false;
    failEach(
      code,
      1,
      (fs, disk) => {
        isDone = false;
        disk.put(EVENTS, Buffer.from('{"topic":"torn"'));
        appendAgentLine({ fs, path: EVENTS }, { topic: 'emitted', payload: 'x'.repeat(50), ts: 1 });
        isDone = true;
      },
      (disk, at) => {
        appendAgentLine({ fs: disk.fs, path: EVENTS }, { topic: 'next', payload: '', ts: 2 });
        const { signals } = createJsonlInbox({ fs: disk.fs, path: EVENTS, label: 'events' }).read(0, { final: true });
        const topics = signals.map((signal) => signal.topic);
        expect(topics.at(-1), `call ${at}`).toBe('next');
        if (isDone) expect(topics).toEqual(['emitted', 'next']);
      },
    );
  });

  it('settings are the old or the new ones, whole', () => {
    let isDone = false;
    failEach(
      code,
      1,
      (fs, disk) => {
        isDone = false;
        disk.put(SETTINGS, Buffer.from('{"is":"old"}'));
        writeSettings(fs, SETTINGS, { is: 'new' });
        isDone = true;
      },
      (disk, at) => {
        const settings = readSettings(disk.fs, SETTINGS);
        expect([{ is: 'old' }, { is: 'new' }], `call ${at}`).toContainEqual(settings);
        if (isDone) expect(settings).toEqual({ is: 'new' });
        writeSettings(disk.fs, SETTINGS, { is: 'newer' });
        expect(readSettings(disk.fs, SETTINGS)).toEqual({ is: 'newer' });
      },
    );
  });

  it.each([1, 1000])('a lock is taken or not, and can be taken when its owner is dead (%i calls in a row)', (count) => {
    const toLockSettings = (fs: FileSystem, pid: number): LockSettings => ({
      fs,
      path: `${STATE}/lock`,
      owner: { pid, processStart: null, pidNamespace: null, host: 'h', runId: 'r', startedAt: 1, command: 'c' },
      isAlive: (asked) => asked === pid,
      now: () => (pid === 1 ? 1_000_000 : 1_010_000),
    });
    let isTaken = false;
    failEach(
      code,
      count,
      (fs, disk) => {
        isTaken = false;
        disk.put(`${STATE}/lock`, Buffer.from(JSON.stringify({ ...toLockSettings(fs, 9).owner, nonce: 'dead' })));
        isTaken = acquireLock(toLockSettings(fs, 1)).ok;
      },
      (disk, at) => {
        if (isTaken) expect(disk.peek(`${STATE}/lock`)?.toString()).toContain('"pid":1,');
        expect(acquireLock(toLockSettings(disk.fs, 2)), `call ${at}`).toHaveProperty('value');
        const left = disk.fs.list(STATE).map(({ name }) => name);
        expect(left).toEqual(['lock']);
      },
    );
  });

  it('a turn keeps its prompt whole or does not begin', () => {
    let isOpen = false;
    failEach(
      code,
      1,
      (fs) => {
        isOpen = false;
        const store = createTurnStore({ fs, dir: `${STATE}/turns`, capBytes: 100 });
        store.open({ iteration: 1, attempt: 1 }, 'the prompt');
        isOpen = true;
        store.appendText({ iteration: 1, attempt: 1 }, 'text');
        store.close({ iteration: 1, attempt: 1 });
      },
      (disk, at) => {
        if (isOpen) expect(disk.peek(`${STATE}/turns/1.1/prompt.md`)?.toString(), `call ${at}`).toBe('the prompt');
        const again = createTurnStore({ fs: disk.fs, dir: `${STATE}/turns`, capBytes: 100 });
        expect(again.open({ iteration: 1, attempt: 2 }, 'another')).toHaveProperty('promptHash');
      },
    );
  });

  /** Removes a tree on a disk step by step, each of which may fail. */
  const toRemoveTree = (fs: FileSystem, disk: MemoryDisk) =>
    function removeTree(folder: string): void {
      for (const { name, kind } of fs.list(folder)) {
        if (kind === 'folder') removeTree(`${folder}/${name}`);
        else fs.unlink(`${folder}/${name}`);
      }
      disk.removeFolder(folder);
    };

  it('a run is made or not, and removed from the list or not', () => {
    failEach(
      code,
      1,
      (fs, disk) => {
        const { runId } = createRunFolder(
          { fs, stateDir: STATE },
          createRunId(5, () => 0),
        );
        removeRun({ fs, stateDir: STATE, removeTree: toRemoveTree(fs, disk) }, runId);
      },
      (disk, at) => {
        const state = { fs: disk.fs, stateDir: STATE, removeTree: toRemoveTree(disk.fs, disk) };
        for (const runId of listRunIds(state)) removeRun(state, runId);
        const { runId } = createRunFolder(
          state,
          createRunId(6, () => 0.5),
        );
        removeRun(state, runId);
        expect(disk.fs.list(`${STATE}/runs`), `call ${at}`).toEqual([]);
      },
    );
  });
});

it('settings survive a power loss at any call as the old or the new ones, over 2,000 seeds', () => {
  for (let seed = 0; seed < 2000; seed += 1) {
    const random = createSeededRandom(seed);
    const disk = createDisk();
    disk.put(SETTINGS, Buffer.from('{"is":"old"}'));
    disk.cutPowerAt(1 + (seed % 10));
    let isDone = false;
    try {
      writeSettings(disk.fs, SETTINGS, { is: 'new' });
      isDone = true;
    } catch (error) {
      expect(error).toBeInstanceOf(PowerLoss);
    }
    disk.restart(random);
    const settings = readSettings(disk.fs, SETTINGS);
    expect(isDone ? [{ is: 'new' }] : [{ is: 'old' }, { is: 'new' }], `seed ${seed}`).toContainEqual(settings);
  }
});
