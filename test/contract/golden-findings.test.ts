import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { renderDiagnostics } from '../../src/config/index.ts';
import { checkConfig } from '../../src/validation/index.ts';

/** `<code>.yml` is a sample that gives the finding, `<code>.txt` how people see it. `UPDATE_GOLDEN=1` writes the texts anew: read the difference. */
const FOLDER = fileURLToPath(new URL('../../fixtures/findings', import.meta.url));
const RULES = ['../../src/topology/rules', '../../src/config/rules'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
/** One needs a team of a size that nobody writes (see `src/topology/rules`), one a file that is not the folder's own, and one is about the command line, which is no file. */
const WITHOUT_SAMPLE = ['flow-unchecked', 'state-dir-hidden', 'flag-invalid'];
const WORK = mkdtempSync(join(tmpdir(), 'ralph-findings-'));

afterAll(() => rmSync(WORK, { recursive: true, force: true }));

const codes = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yml'))
  .map((name) => name.replace('.yml', ''));

function renderSample(code: string): string {
  const cwd = mkdtempSync(join(WORK, 'sample-'));
  writeFileSync(join(cwd, 'ralph.yml'), readFileSync(join(FOLDER, `${code}.yml`)));
  const { diagnostics } = checkConfig({ cwd, prompt: 'optional' });
  return `${renderDiagnostics(diagnostics.filter((diagnostic) => diagnostic.code === code))}\n`;
}

describe('how findings look', () => {
  test.each(codes)('%s', (code) => {
    const text = renderSample(code);
    const golden = join(FOLDER, `${code}.txt`);
    expect(text, `the sample does not give ${code}`).toContain(`[${code}]`);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, text);
    expect(text).toBe(existsSync(golden) ? readFileSync(golden, 'utf8') : '');
  });

  test('every code of a rule has a sample', () => {
    const sources = RULES.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
    const code = sources.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
    const used = code.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\bcode: '([a-z-]+)'/g)].map((match) => match[1] as string),
    );
    expect([...new Set(used)].filter((code) => !codes.includes(code) && !WITHOUT_SAMPLE.includes(code)).sort()).toEqual([]);
  });

  test('every text belongs to a sample', () => {
    const texts = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
    expect(texts.filter((name) => !codes.includes(name.replace('.txt', '')))).toEqual([]);
  });
});
