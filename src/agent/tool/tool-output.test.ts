import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { type CapLimits, capOutput, createSpill, maskOutput } from './tool-output.ts';

afterAll(removePlaces);

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

function createStore() {
  const kept: string[] = [];
  const spill = async (text: string) => `spill/${kept.push(text)}.txt`;
  return { kept, spill };
}

describe('a text within the limits', () => {
  it('is given whole, and nothing is kept', async () => {
    const { kept, spill } = createStore();
    const text = `${numbered(2000)}\n`;
    expect(await capOutput(text, { keep: 'tail' }, spill)).toEqual({ text, isCut: false, spillPath: null });
    expect(kept).toEqual([]);
  });
});

describe('a long text', () => {
  it('is cut at its end, and the last line says how to read on', async () => {
    const { kept, spill } = createStore();
    const { text, isCut, spillPath } = await capOutput(numbered(5000), { keep: 'head' }, spill);
    const lines = text.split('\n');
    expect([lines.length, lines[0], isCut, spillPath]).toEqual([2000, 'line 1', true, 'spill/1.txt']);
    expect(lines.at(-2)).toBe('line 1999');
    expect(lines.at(-1)).toContain('lines 1 to 1999 of 5000');
    expect(lines.at(-1)).toContain('spill/1.txt: read_file with offset 2000');
    expect(kept).toEqual([numbered(5000)]);
  });

  it('is cut at its beginning where the end matters, and the first line says so', async () => {
    const { spill } = createStore();
    const { text } = await capOutput(`${numbered(5000)}\n`, { keep: 'tail' }, spill);
    const lines = text.split('\n');
    expect(lines[0]).toContain('lines 3002 to 5000 of 5000');
    expect(lines.at(-1)).toBe('line 5000');
  });

  it('says so where the rest could not be kept', async () => {
    const { text, spillPath } = await capOutput(numbered(3000), { keep: 'head' }, async () => null);
    expect(spillPath).toBeNull();
    expect(text).toContain('The rest could not be kept');
  });

  it('is cut by bytes as well, not by characters', async () => {
    const { spill } = createStore();
    const { text } = await capOutput('ä'.repeat(100).concat('\n').repeat(1000), { keep: 'head' }, spill);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1024);
    expect(Buffer.byteLength(text)).toBeGreaterThan(45 * 1024);
  });

  it('has its long lines cut, and all of them kept', async () => {
    const { kept, spill } = createStore();
    const { text } = await capOutput(`short\n${'x'.repeat(5000)}\nend`, { keep: 'head' }, spill);
    expect(text.split('\n')[1]).toBe(`${'x'.repeat(2000)}[… 3000 more characters]`);
    expect(text).toContain('all 3 lines are here, long ones cut');
    expect(kept[0]).toContain('x'.repeat(5000));
  });
});

describe('whatever the text', () => {
  const anyText = fc.array(
    fc.constantFrom('a', 'ä', '😀', '中', '\n', '\t', '\r\n', '\u001b[31m', '\u001b]0;t\u0007', '\u0000', '\ud83d', ' '.repeat(50)),
    {
      maxLength: 400,
    },
  );
  const anyLimits = fc.record<CapLimits>({
    keep: fc.constantFrom('head', 'tail'),
    maxLines: fc.integer({ min: 2, max: 20 }),
    maxBytes: fc.integer({ min: 1200, max: 3000 }),
    maxLineChars: fc.integer({ min: 1, max: 60 }),
  });

  it('what comes out is within the limits, whole characters, and nothing a terminal would obey', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyLimits, async (parts, limits) => {
        const { text, isCut } = await capOutput(parts.join(''), limits, async () => 'spill/x.txt');
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.maxBytes);
        expect(text.split('\n').length).toBeLessThanOrEqual(limits.maxLines + (isCut ? 0 : 1));
        expect(text).not.toMatch(/\p{Surrogate}/u);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
        expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
      }),
    );
  });

  it('loses colours, keeps tabs and lines, and shows every other control as a mark', () => {
    expect(maskOutput('\u001b[1;31mred\u001b[0m\tx\r\ny\rz\u001b[2J')).toBe('red\tx\ny\uFFFDz\uFFFD[2J');
  });
});

describe('what is kept', () => {
  it('is a file that only its owner reads, under a name that nobody could have guessed', async () => {
    const { context } = createPlace();
    const keep = createSpill(context.spillDir, '../../etc/passwd\n', context.jail.toShown);
    const [first, second] = [await keep('one'), await keep('two')];
    expect(first).not.toBe(second);
    expect(basename(first ?? '')).toMatch(/^etcpasswd-[0-9a-f]{12}\.txt$/);
    expect(dirname(first ?? '')).toBe(context.spillDir);
    expect(readFileSync(first ?? '', 'utf8')).toBe('one');
    expect(statSync(first ?? '').mode & 0o777).toBe(0o600);
  });

  it('is told as not kept where there is no place for it', async () => {
    const { context, write, workspace } = createPlace();
    write('file', 'x');
    expect(await createSpill(join(workspace, 'file'), 'grep', context.jail.toShown)('text')).toBeNull();
    mkdirSync(context.spillDir);
    rmSync(context.spillDir, { recursive: true });
    symlinkSync('/nonexistent/folder', context.spillDir);
    expect(await createSpill(context.spillDir, 'grep', context.jail.toShown)('text')).toBeNull();
  });
});
