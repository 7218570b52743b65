import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEvidenceStore, hashLog, OVERLAP_CHARS, rewriteLog } from './evidence-store.ts';

const BASE = mkdtempSync(join(tmpdir(), 'ralph-evidence-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

function keep(text: string) {
  const file = createEvidenceStore(mkdtempSync(join(BASE, 'run-')), BASE).open();
  if (file === null) throw new Error('nothing is kept');
  writeFileSync(file.logPath, text);
  return file;
}

const MB = 1 << 20;
const hide = (text: string): string => text.replaceAll('s3cret', 'hidden');

describe('an output of a gate that was kept', () => {
  it.each([0, MB - 3, MB - OVERLAP_CHARS - 2, 3 * MB - 1])(
    'is changed also where what is hidden lies between two pieces, behind %d characters',
    (before) => {
      const file = keep(`${'x'.repeat(before)}s3cret${'y'.repeat(MB)}`);
      rewriteLog(file, hide);
      expect(readFileSync(file.logPath, 'utf8')).toBe(`${'x'.repeat(before)}hidden${'y'.repeat(MB)}`);
    },
  );

  it('is looked at in pieces, and not as a whole where nothing is hidden in it', () => {
    const text = 'ä'.repeat(3 * MB);
    const file = keep(text);
    const lengths: number[] = [];
    rewriteLog(file, (piece) => {
      lengths.push(piece.length);
      return hide(piece);
    });
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MB + OVERLAP_CHARS);
    expect(readFileSync(file.logPath, 'utf8')).toBe(text);
  });

  it('has the hash and the size of all its bytes', () => {
    const text = 'ä'.repeat(MB + 1);
    const outputHash = createHash('sha256').update(text).digest('hex');
    const found = { outputHash, outputBytes: 2 * MB + 2 };
    expect([hashLog(keep(text), ''), hashLog(null, text), hashLog({ number: 1, logPath: join(BASE, 'none'), log: '' }, text)]).toEqual([
      found,
      found,
      found,
    ]);
  });
});
