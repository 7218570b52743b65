import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Input, JournalEntry } from '../core/run/inputs.ts';
import { makeSpec } from '../core/spec-fixtures.ts';
import { toJournalLines } from '../journal/journal-line.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { noteMove, readMove } from './moved-run.ts';

let folder = '';
let paths: RunPaths;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-moved-'));
  paths = { runId: 'run-1', folder, journal: join(folder, 'journal.jsonl') } as RunPaths;
  writeFileSync(join(folder, 'outside.jsonl'), 'x'.repeat(500));
});
afterEach(() => rmSync(folder, { recursive: true }));

const started: Input = { type: 'run-started', at: 1, runId: 'run-1', spec: makeSpec(), flags: [], inboxOffset: 40 };
const heard = (outsideOffset: number): Input => ({
  ...{ type: 'events-received', at: 2, signals: [], problems: [], inboxOffset: 40 },
  outsideOffset,
});
const resumed = (outsideOffset: number): Input => ({ type: 'run-resumed', at: 3, moved: { inboxOffset: 0, outsideOffset } });

/** The journal that comes takes the place of the one that is here. */
function come(...inputs: readonly Input[]): void {
  const entries: readonly JournalEntry[] = inputs.map((input, index) => ({ seq: index + 1, input }));
  noteMove(paths, entries);
  write(...inputs);
}

function write(...inputs: readonly Input[]): void {
  writeFileSync(paths.journal, toJournalLines(inputs.map((input, index) => ({ seq: index + 1, input }))));
}

describe('a run that comes into a folder', () => {
  test('has read nothing there where it has never been', () => {
    come(started, heard(500));
    expect(readMove(paths, 2)).toEqual({ outsideOffset: 0 });
  });

  test('has read what it had read when it left', () => {
    write(started, heard(120));
    come(started, heard(120), resumed(0), heard(60));
    expect(readMove(paths, 4)).toEqual({ outsideOffset: 120 });
  });

  test('has read there what its fleet has heard of, and not what only this folder knows', () => {
    write(started, heard(120), heard(300));
    come(started, heard(120), resumed(0));
    expect(readMove(paths, 3)).toEqual({ outsideOffset: 120 });
  });

  test('is where its journal says once it has gone on there', () => {
    write(started, heard(120));
    come(started, heard(120), resumed(0));
    expect(readMove(paths, 4)).toBeNull();
  });

  test('is where it was when it left the first time, where it left again before it went on', () => {
    write(started, heard(120));
    come(started, heard(120), resumed(0), heard(60));
    come(started, heard(120), resumed(0), heard(60), resumed(0), heard(90));
    expect(readMove(paths, 6)).toEqual({ outsideOffset: 120 });
  });

  test('has not moved where nobody had gone on with it', () => {
    write(started);
    come(started, heard(120));
    expect(readMove(paths, 2)).toBeNull();
  });

  test('has read what it had read, where an entry came back in other bytes', () => {
    write(started, heard(120));
    come(started, { ...heard(120), later: 1 } as unknown as Input, resumed(0));
    expect(readMove(paths, 3)).toEqual({ outsideOffset: 120 });
  });
});

describe('what is noted of a move', () => {
  const mark = (): string => join(folder, 'moved.json');

  beforeEach(() => {
    write(started, heard(120));
    come(started, heard(120), resumed(0));
  });

  test.each([
    ['no place', { outsideOffset: -5 }],
    ['no place', { outsideOffset: 1.5 }],
    ['no place', { outsideOffset: '17' }],
    ['no place of a number of entries', { seq: 1e308 }],
    ['behind the end of the file', { outsideOffset: 501 }],
    ['about another run', { runId: 'run-2' }],
  ])('is nothing where it is %s: %j', (_what, change) => {
    const noted = JSON.parse(readFileSync(mark(), 'utf8')) as object;
    writeFileSync(mark(), JSON.stringify({ ...noted, ...change }));
    expect(readMove(paths, 3)).toBeNull();
  });

  test.each([
    ['a folder', () => mkdirSync(mark())],
    ['a pipe', () => execFileSync('mkfifo', [mark()])],
    ['a link', () => symlinkSync('outside.jsonl', mark())],
    ['a link to itself', () => symlinkSync('moved.json', mark())],
    ['a large file', () => writeFileSync(mark(), Buffer.alloc(1 << 20, ' '))],
  ])('is nothing where %s is in its place', (_what, make) => {
    rmSync(mark());
    make();
    expect(readMove(paths, 3)).toBeNull();
  });
});
