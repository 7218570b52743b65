import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readShownPiece } from './shown-piece.ts';

const SECRET = 'sk-0123456789abcdef0123456789';
const show = (text: string): string => text.replaceAll(SECRET, '[redacted]');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-shown-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string | Buffer): string {
  const path = join(folder, `${Math.random()}`);
  writeFileSync(path, text);
  return path;
}

test('pieces of any length put together hold no secret, and everything else', () => {
  const text = `ä first line\nkey ${SECRET} and ${SECRET}\n`.repeat(12);
  const path = write(text);
  for (const count of [40, 41, 47, 53, 64, 100, 1000]) {
    let whole = '';
    for (let from = 0; from < Buffer.byteLength(text); ) {
      const piece = readShownPiece(path, { from, count }, show);
      if (piece === null || piece.next <= from) throw new Error(`stands at ${from} with ${count}`);
      whole += piece.text;
      from = piece.next;
    }
    expect(whole).toBe(show(text));
  }
});

test('a piece that begins in the midst of a secret begins behind it', () => {
  const path = write(`${'x '.repeat(50)}${SECRET} the end`);
  for (const from of [-30, -20, -10]) expect(readShownPiece(path, { from, count: 100 }, show)?.text).toMatch(/^(?: ?the end|end|)$/);
  expect(readShownPiece(path, { from: 110, count: 100 }, show)).toMatchObject({ text: 'the end', from: 130 });
});

test('a text without a blank, and one that is no text, come all the same', () => {
  for (const content of ['y'.repeat(9000), SECRET.repeat(300), Buffer.alloc(9000, 0xff)]) {
    const path = write(content);
    let from = 0;
    for (let steps = 0; steps < 400 && from < content.length; steps += 1) from = readShownPiece(path, { from, count: 64 }, show)?.next ?? 0;
    expect(from).toBeGreaterThanOrEqual(content.length);
  }
});

test('a file that is not there gives none', () => {
  expect(readShownPiece(join(folder, 'none'), { from: 0, count: 8 }, show)).toBeNull();
});
