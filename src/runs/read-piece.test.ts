import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPiece, searchFile } from './read-piece.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-piece-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string | Buffer): string {
  const path = join(folder, `${Math.random()}`);
  writeFileSync(path, text);
  return path;
}

test('pieces of any length put together are the text, whatever its characters', () => {
  const text = 'aä€😀\nb😀€ä'.repeat(20);
  const path = write(text);
  for (const count of [4, 5, 6, 7, 64]) {
    let whole = '';
    let from = 0;
    for (let piece = readPiece(path, { from, count }); piece !== null && piece.next > from; piece = readPiece(path, { from, count })) {
      expect(piece.from).toBe(from);
      whole += piece.text;
      from = piece.next;
    }
    expect(whole).toBe(text);
  }
});

test('a piece from the end begins at a character', () => {
  const path = write('x😀');
  expect(readPiece(path, { from: -3, count: 10 })).toEqual({ text: '', from: 5, next: 5, totalBytes: 5 });
  expect(readPiece(path, { from: -4, count: 10 })).toMatchObject({ text: '😀', from: 1, next: 5 });
});

test('a file that is no text gives pieces all the same, and one that is not there none', () => {
  const path = write(Buffer.alloc(50, 0x80));
  let from = 0;
  for (let steps = 0; steps < 60 && from < 50; steps += 1) from = readPiece(path, { from, count: 8 })?.next ?? 50;
  expect(from).toBe(50);
  expect(readPiece(join(folder, 'none'), { from: 0, count: 8 })).toBeNull();
  expect(readPiece(folder, { from: 0, count: 8 })).toBeNull();
});

test('words are found in any case in a file of many megabytes, also in its last line and in a line without an end', () => {
  const filler = `${'x'.repeat(99)}\n`.repeat(30_000);
  const path = write(`the First Needle\n${filler}${'y'.repeat(3_000_000)}needle`);
  const hits = searchFile(path, 'NEEDLE', 10);
  expect(hits[0]).toEqual({ line: 'the First Needle', fromByte: 0 });
  expect(hits.at(-1)?.line).toMatch(/needle$/);
  expect(hits).toHaveLength(2);
  expect(searchFile(path, 'needle', 1)).toHaveLength(1);
  expect(searchFile(path, '', 10)).toHaveLength(0);
});

test('what is masked is not found, and not shown beside what is', () => {
  const path = write('the key is sk-12345 here\nthe key is free\n');
  const show = (text: string): string => text.replace('sk-12345', '[redacted]');
  expect(searchFile(path, 'sk-123', 10, show)).toEqual([]);
  expect(searchFile(path, 'key is', 10, show).map(({ line }) => line)).toEqual(['the key is [redacted] here', 'the key is free']);
});

test('a link is not followed, and a pipe not waited for', () => {
  const [link, pipe] = [join(folder, 'link'), join(folder, 'pipe')];
  symlinkSync(write('not of this run'), link);
  execFileSync('mkfifo', [pipe]);
  for (const path of [link, pipe]) {
    expect(readPiece(path, { from: 0, count: 8 })).toBeNull();
    expect(searchFile(path, 'run', 10)).toEqual([]);
  }
});
