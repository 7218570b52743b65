import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDraft } from './folder-files.ts';

let drafts: string;

beforeEach(() => {
  drafts = mkdtempSync(join(tmpdir(), 'ralph-drafts-'));
});
afterEach(() => rmSync(drafts, { recursive: true, force: true }));

describe('a draft', () => {
  it('leaves nothing where it cannot be written to its end', async () => {
    const halves = async function* () {
      yield 'half';
      throw new Error('the disk is full');
    };
    await expect(writeDraft(drafts, halves() as unknown as string)).rejects.toThrow('the disk is full');
    expect(readdirSync(drafts)).toEqual([]);
  });
});
