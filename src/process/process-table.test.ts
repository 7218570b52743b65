import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import {
  createLinuxProcessSource,
  createPsProcessSource,
  findMarker,
  findMarkerInWords,
  parseProcStat,
  parsePsLine,
  readPidNamespace,
} from './process-table.ts';

const rest = '0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 98765 2 3 4';

describe('a line of /proc/PID/stat', () => {
  it('is read past a program name that holds spaces and parentheses', () => {
    const text = `42 (a) S 1 (b\n) R 7 42 40 ${rest}`;
    expect(parseProcStat(text, 'boot')).toEqual({
      entry: { pid: 42, parentPid: 7, groupId: 42, sessionId: 40, startTime: 'boot:98765', startOrder: 98765, cpuMs: 100 },
      isZombie: false,
    });
  });

  it('tells a zombie', () => {
    expect(parseProcStat(`42 (sh) Z 7 42 40 ${rest}`, 'boot')?.isZombie).toBe(true);
  });

  it('is refused when it has another shape', () => {
    for (const text of ['', '42', '42 (sh', '42 (sh) S 1 2', 'x (y) z']) expect(parseProcStat(text, 'boot')).toBeUndefined();
  });
});

describe('the marker in an environment block', () => {
  it('is found at the beginning, inside and at the end', () => {
    for (const text of ['RALPH_TURN=t/1\0A=b\0', 'A=b\0RALPH_TURN=t/1\0C=d\0', 'A=b\0RALPH_TURN=t/1']) {
      expect(findMarker(Buffer.from(text))).toBe('t/1');
    }
  });

  it('is not taken from the value or the longer name of another variable', () => {
    expect(findMarker(Buffer.from('A=RALPH_TURN=x\0MY_RALPH_TURN=x\0RALPH_TURNS=x\0'))).toBeUndefined();
  });
});

describe.runIf(process.platform === 'linux')('the processes since one', () => {
  it('are processes, not the threads that were started since', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const worker = new Worker('require("node:worker_threads").parentPort.once("message", () => undefined)', { eval: true });
    try {
      await new Promise((resolve) => worker.once('online', resolve));
      const threads = createLinuxProcessSource()
        .list(pid)
        .filter((entry) => existsSync(`/proc/${process.pid}/task/${entry.pid}`) && entry.pid !== process.pid);
      expect(threads).toEqual([]);
    } finally {
      await worker.terminate();
    }
  });
});

describe('a line of ps', () => {
  const line = '  501   480   501 Ss    2048 Sat Nov  1 09:03:07 2025 /bin/sh -c x RALPH_TURN=r/1 HOME=/h';

  it('is read with its date as the start time', () => {
    expect(parsePsLine(line)).toMatchObject({
      entry: { pid: 501, parentPid: 480, groupId: 501, startTime: 'Sat Nov 1 09:03:07 2025' },
      isZombie: false,
      rssBytes: 2 << 20,
      command: '/bin/sh -c x RALPH_TURN=r/1 HOME=/h',
    });
  });

  it('gives the marker of the environment, which stands behind the command', () => {
    expect(findMarkerInWords('grep RALPH_TURN=no PATH=/bin RALPH_TURN=yes')).toBe('yes');
    expect(findMarkerInWords('grep XRALPH_TURN=no')).toBeUndefined();
  });

  it('is refused when it has another shape', () => {
    for (const text of ['', 'PID PPID', '1 2 3']) expect(parsePsLine(text)).toBeUndefined();
  });

  it.runIf(existsSync('/bin/ps'))('is what the ps of this system prints: it knows this very process', () => {
    const source = createPsProcessSource([]);
    const self = source.list().find((entry) => entry.pid === process.pid);
    expect(self).toMatchObject({ parentPid: process.ppid });
    expect(source.startTimes([process.pid]).get(process.pid)).toBe(self?.startTime);
    expect(source.find(process.pid)?.startOrder).toBeGreaterThan(Date.UTC(2020, 0));
    expect(source.details([process.pid]).get(process.pid)?.rssBytes).toBeGreaterThan(1 << 20);
  });
});

it('names the process namespace by the number that the kernel gave it, and is null where there are none', () => {
  const file = '/proc/self/ns/pid';
  expect(readPidNamespace()).toBe(existsSync(file) ? `pid:[${statSync(file).ino}]` : null);
});
