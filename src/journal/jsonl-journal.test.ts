import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeShare } from '../core/property-fixtures.ts';
import type { Input } from '../core/run/inputs.ts';
import { createTemporaryFolder, toInput, toInputs } from './fixtures.ts';
import { createJournalReader } from './follow-journal.ts';
import { toJournalLine } from './journal-line.ts';
import { openJsonlJournal } from './jsonl-journal.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { hasBegun, readJournal } from './read-journal.ts';

function createPath(): string {
  return join(createTemporaryFolder(), 'journal.jsonl');
}

function createJournalFile(count: number): string {
  const path = createPath();
  writeFileSync(path, toJournalBytes(count));
  return path;
}

function toJournalBytes(count: number): Buffer {
  return Buffer.concat(toInputs(count).map((input, index) => toJournalLine(index + 1, input)));
}

/** Opens for writing and tells what was found. */
function recover(path: string) {
  const inputs: Input[] = [];
  const { journal, ...found } = openJsonlJournal({ fs, path }, (entry) => inputs.push(entry.input));
  journal.close();
  return { ...found, inputs };
}

describe('a new journal', () => {
  it('is made with its folders and numbers its entries from 1', () => {
    const path = join(createTemporaryFolder(), 'runs', 'r1', 'journal.jsonl');
    const { journal, lastSeq, damage } = openJsonlJournal({ fs, path });
    expect([lastSeq, damage]).toEqual([0, null]);
    expect(journal.append(toInput(1))).toEqual({ seq: 1, input: toInput(1) });
    expect(journal.append(toInput(2)).seq).toBe(2);
    const seen: unknown[] = [];
    journal.read((entry) => seen.push(entry));
    expect(seen).toEqual([
      { seq: 1, input: toInput(1) },
      { seq: 2, input: toInput(2) },
    ]);
    expect(readFileSync(path)).toEqual(toJournalBytes(2));
  });

  it('takes nothing after it was closed', () => {
    const path = createPath();
    const { journal } = openJsonlJournal({ fs, path });
    journal.close();
    journal.close();
    expect(() => journal.append(toInput(1))).toThrow(expect.objectContaining({ code: 'journal-closed' }));
    expect(statSync(path).size).toBe(0);
  });

  it('keeps an entry of 40 MB', () => {
    const path = createPath();
    const { journal } = openJsonlJournal({ fs, path });
    const large = { ...toInput(1), note: 'x'.repeat(40 << 20) };
    journal.append(large);
    journal.append(toInput(2));
    journal.close();
    expect(recover(path).inputs).toEqual([large, toInput(2)]);
  });
});

describe('a journal that is opened again', () => {
  it('goes on with the next number', () => {
    const path = createJournalFile(3);
    const { journal, lastSeq, damage } = openJsonlJournal({ fs, path });
    expect([lastSeq, damage]).toEqual([3, null]);
    journal.append(toInput(4));
    journal.close();
    expect(readFileSync(path)).toEqual(toJournalBytes(4));
  });

  it('has every whole entry after it was cut at any byte, and goes on behind them', () => {
    const whole = toJournalBytes(2);
    const path = createPath();
    for (const length of takeShare(Array.from({ length: whole.length + 1 }, (_none, index) => index))) {
      writeFileSync(path, whole.subarray(0, length));
      const lines = whole.subarray(0, length).toString().split('\n').length - 1;
      const goodBytes = toJournalBytes(lines).length;
      const { inputs, damage } = recover(path);
      expect(inputs).toEqual(toInputs(lines));
      expect(readFileSync(path)).toEqual(toJournalBytes(lines));
      if (length === goodBytes) expect(damage).toBeNull();
      else expect(damage).toMatchObject({ goodBytes, lostBytes: length - goodBytes });
      expect(recover(path).damage).toBeNull();
    }
  });

  it('sets damage aside byte for byte, under a new name each time, and says where it was', () => {
    const path = createJournalFile(2);
    appendFileSync(path, '{"crc":"00');
    expect(recover(path).damage?.message).toBe('journal.jsonl: line 3 is cut short; 10 bytes were set aside in journal.jsonl.damaged-1');
    appendFileSync(path, 'scribble\n{"more":1}\n');
    expect(recover(path).damage?.message).toBe(
      'journal.jsonl: line 3 is not a journal entry; 20 bytes were set aside in journal.jsonl.damaged-2',
    );
    expect(readFileSync(`${path}.damaged-1`, 'utf8')).toBe('{"crc":"00');
    expect(readFileSync(`${path}.damaged-2`, 'utf8')).toBe('scribble\n{"more":1}\n');
    expect(readFileSync(path)).toEqual(toJournalBytes(2));
  });

  it.each([
    ['a flipped bit', (bytes: Buffer) => bytes.fill((bytes[100] ?? 0) ^ 4, 100, 101)],
    ['a hole of zeros', (bytes: Buffer) => bytes.fill(0, 95, 140)],
    ['Windows line ends', (bytes: Buffer) => Buffer.from(bytes.toString().replace('\n', '\r\n'))],
  ])('ends before %s and keeps what stood behind it', (_, spoil) => {
    const path = createPath();
    const spoiled = spoil(toJournalBytes(5));
    writeFileSync(path, spoiled);
    const { lastSeq, damage } = recover(path);
    expect(lastSeq).toBeLessThan(5);
    expect(Buffer.concat([readFileSync(path), readFileSync(`${path}.damaged-1`)])).toEqual(spoiled);
    expect(damage?.message).toContain('line ');
  });

  it('ends before an entry that was left out', () => {
    const path = createPath();
    writeFileSync(path, Buffer.concat([toJournalLine(1, toInput(1)), toJournalLine(3, toInput(3))]));
    expect(recover(path)).toMatchObject({
      lastSeq: 1,
      damage: { message: expect.stringContaining('line 2 is entry 3, where entry 2 belongs') },
    });
  });

  it('written by a newer version is left as it is', () => {
    const path = createPath();
    // The checksum of the body that follows it.
    const newer = '{"crc":"183a1d9a","v":9,"seq":1}\n';
    writeFileSync(path, newer);
    expect(() => openJsonlJournal({ fs, path })).toThrow(expect.objectContaining({ code: 'journal-newer' }));
    expect(readFileSync(path, 'utf8')).toBe(newer);
    expect(existsSync(`${path}.damaged-1`)).toBe(false);
  });
});

describe('an append that fails', () => {
  it('throws the error of the system, is never read, and does not harm the next one', () => {
    const path = createJournalFile(1);
    let fails = false;
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const failing = {
      ...fs,
      write: (handle: number, bytes: Uint8Array) => {
        if (!fails) return fs.write(handle, bytes);
        if (bytes.length < 50) throw full;
        return fs.write(handle, bytes.subarray(0, 40));
      },
    };
    const { journal } = openJsonlJournal({ fs: failing, path });
    fails = true;
    expect(() => journal.append(toInput(2))).toThrow(full);
    expect(readFileSync(path)).toEqual(toJournalBytes(1));
    fails = false;
    expect(journal.append(toInput(2)).seq).toBe(2);
    expect(readFileSync(path)).toEqual(toJournalBytes(2));
  });

  it('and cannot be undone lets nothing follow it', () => {
    const path = createJournalFile(1);
    const broken = () => {
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    };
    const { journal } = openJsonlJournal({ fs: { ...fs, sync: broken, truncate: broken }, path });
    expect(() => journal.append(toInput(2))).toThrow('EIO');
    expect(() => journal.append(toInput(3))).toThrow(
      expect.objectContaining({ code: 'journal-broken', cause: expect.objectContaining({ code: 'EIO' }) }),
    );
    const seen: number[] = [];
    journal.read((entry) => seen.push(entry.seq));
    expect(seen).toEqual([1]);
  });

  it('because its input is no JSON writes nothing', () => {
    const path = createJournalFile(1);
    const { journal } = openJsonlJournal({ fs, path });
    const endless: Record<string, unknown> = { ...toInput(2) };
    endless['self'] = endless;
    expect(() => journal.append(endless as unknown as Input)).toThrow(TypeError);
    expect(journal.append(toInput(2)).seq).toBe(2);
    expect(readFileSync(path)).toEqual(toJournalBytes(2));
  });
});

describe('reading while the run is on', () => {
  it('stops before an incomplete line, repairs nothing and tells where to go on', () => {
    const path = createJournalFile(2);
    appendFileSync(path, '{"crc":"1');
    const before = readFileSync(path);
    const seen: number[] = [];
    const { lastSeq, goodBytes, damage } = readJournal({ fs, path }, (entry) => seen.push(entry.seq));
    expect([seen, lastSeq, goodBytes]).toEqual([[1, 2], 2, toJournalBytes(2).length]);
    expect(damage?.message).toBe('journal.jsonl: line 3 is cut short; 9 bytes from there on are not read');
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(join(path, '..'))).toEqual(['journal.jsonl']);
  });

  it('finds no damage in a sound journal, and nothing in an empty one', () => {
    expect(readJournal({ fs, path: createJournalFile(3) }, () => {}).damage).toBeNull();
    expect(readJournal({ fs, path: createJournalFile(0) }, () => {})).toEqual({ lastSeq: 0, goodBytes: 0, damage: null });
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('says that %s in its place is no file, whoever reads it', (_, make) => {
    const path = createPath();
    make(path);
    const refusal = expect.objectContaining({ code: 'journal-no-file', message: expect.stringContaining(path), exitCode: 1 });
    const readers = [
      () => readJournal({ fs, path }, () => {}),
      () => hasBegun({ fs, path }),
      () => createJournalReader({ fs, path }, 0)(() => true),
      () => openJsonlJournal({ fs, path }),
    ];
    for (const read of readers) expect(read).toThrow(refusal);
  });

  it('throws when the journal changed under its writer', () => {
    const path = createJournalFile(3);
    const { journal } = openJsonlJournal({ fs, path });
    writeFileSync(path, toJournalBytes(2));
    expect(() => journal.read(() => {})).toThrow(expect.objectContaining({ code: 'journal-damaged' }));
  });
});

describe('a journal whose file is lost under the run', () => {
  /** A journal with a folder of its run around it, three entries, and what was there before it was opened. */
  function open(before: number) {
    const state = createTemporaryFolder();
    const path = join(state, 'runs', 'r1', 'journal.jsonl');
    const rescueFolder = join(state, 'rescue', 'r1');
    fs.makeFolder(join(state, 'runs'));
    fs.makeFolder(dirname(path));
    writeFileSync(path, toJournalBytes(before));
    const { journal } = openJsonlJournal({ fs, path, rescueFolder });
    for (let seq = before + 1; seq <= 3; seq += 1) journal.append(toInput(seq));
    return { state, path, rescueFolder, journal };
  }

  it('goes on where the folder around it was moved away with it, and makes nothing anew in its old place', () => {
    const place = open(0);
    const folder = `${place.state}-around`;
    fs.makeFolder(folder);
    renameSync(place.state, join(folder, '.ralph'));
    const path = join(folder, '.ralph', 'runs', 'r1', 'journal.jsonl');
    const { journal } = openJsonlJournal({ fs, path, rescueFolder: join(folder, '.ralph', 'rescue', 'r1') });
    renameSync(folder, `${folder}-moved`);
    journal.append(toInput(4));
    journal.close();
    expect(statSync(folder, { throwIfNoEntry: false })).toBeUndefined();
    expect(recover(join(`${folder}-moved`, '.ralph', 'runs', 'r1', 'journal.jsonl'))).toMatchObject({ lastSeq: 4 });
    rmSync(`${folder}-moved`, { recursive: true });
  });

  it.each<[string, (place: ReturnType<typeof open>) => void]>([
    ['is gone', ({ path }) => rmSync(path)],
    ['is gone', ({ state }) => renameSync(join(state, 'runs'), join(state, 'elsewhere'))],
    ['is gone', ({ state }) => rmSync(state, { recursive: true })],
    ['was cut', ({ path }) => truncateSync(path, 10)],
    ['was cut', ({ path }) => writeFileSync(path, '')],
    [
      'was exchanged',
      ({ path }) => {
        fs.rename(path, `${path}.old`);
        writeFileSync(path, toJournalBytes(3));
      },
    ],
    ['was written to', ({ path }) => appendFileSync(path, 'x')],
    [
      'was changed',
      ({ path }) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, readFileSync(path, 'utf8').replace('"', "'"));
        utimesSync(path, atime, mtime);
      },
    ],
  ])('%s takes no more entries, and what it held is kept beside it', (fault, lose) => {
    for (const before of [0, 2, 3]) {
      const place = open(before);
      lose(place);
      const refusal = expect.objectContaining({ code: 'journal-lost', message: expect.stringContaining(fault) });
      expect(() => place.journal.check?.()).toThrow(refusal);
      expect(() => place.journal.append(toInput(4))).toThrow(refusal);
      expect(recover(join(place.rescueFolder, 'journal.jsonl'))).toMatchObject({ lastSeq: 3, damage: null });
      expect(readFileSync(join(place.rescueFolder, 'journal.jsonl'))).toEqual(toJournalBytes(3));
      expect(statSync(place.rescueFolder).mode & 0o077).toBe(0);
    }
  });

  it('goes on where only its times or its rights changed', () => {
    const { path, journal } = open(1);
    chmodSync(path, 0o600);
    utimesSync(path, 1, 1);
    expect(journal.append(toInput(4)).seq).toBe(4);
    expect(recover(path)).toMatchObject({ lastSeq: 4, damage: null });
  });
});
