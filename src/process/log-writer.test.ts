import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toErrorCode } from '../core/values/errors.ts';
import { type LogWriter, openLogWriter } from './log-writer.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-test-'));
  path = join(folder, 'out.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Opened {
  readonly log: LogWriter;
  readonly drains: () => number;
  readonly faults: readonly Error[];
}

function open(target: string, maxBytes?: number): Opened {
  let drains = 0;
  const faults: Error[] = [];
  const log = openLogWriter({ path: target, maxBytes, onDrain: () => (drains += 1), onError: (error) => faults.push(error) });
  return { log, drains: () => drains, faults };
}

describe('the log writer', () => {
  it('appends every byte in order to what is there', async () => {
    writeFileSync(path, 'first ');
    const { log } = open(path);
    const parts = Array.from({ length: 3000 }, (_, index) => `${index} `);
    for (const part of parts) log.write(Buffer.from(part));
    await log.close();
    expect(readFileSync(path, 'utf8')).toBe(`first ${parts.join('')}`);
  });

  it('notes once, at the end, how much went over the limit, counting what was there', async () => {
    writeFileSync(path, '12345');
    const { log } = open(path, 10);
    for (const part of ['abc', 'defg', 'hij']) expect(log.write(Buffer.from(part))).toBe(true);
    await log.close();
    expect(readFileSync(path, 'utf8')).toBe('12345abcde\n[log cut here: 5 more bytes were not kept]\n');
  });

  it('adds no note when everything just fits', async () => {
    const { log } = open(path, 3);
    log.write(Buffer.from('abc'));
    await log.close();
    expect(readFileSync(path, 'utf8')).toBe('abc');
  });

  it('asks the source to wait when the disk is behind, and lets it go on', async () => {
    const { log, drains } = open(path);
    expect(log.write(Buffer.alloc(2 << 20))).toBe(false);
    expect(drains()).toBe(0);
    await log.close();
    expect(drains()).toBe(1);
  });

  it.runIf(process.platform === 'linux')('reports a full disk once, drops the rest and holds nobody up', async () => {
    const { log, drains, faults } = open('/dev/full');
    log.write(Buffer.alloc(2 << 20));
    await log.close();
    expect(log.write(Buffer.from('more'))).toBe(true);
    expect(faults.map(toErrorCode)).toEqual(['ENOSPC']);
    expect(drains()).toBe(1);
  });

  it('throws the system error when it cannot be opened', () => {
    expect(() => open(join(folder, 'missing', 'out.log'))).toThrow(/ENOENT/);
  });
});
