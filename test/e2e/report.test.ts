/** `ralph report`: what is in its file, and what it writes over. What the page shows of it: test/faces/report.test.ts. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

const SECRET = 'swordfish-0123456789';
const ENV = { SHOP_API_TOKEN: SECRET };
const BODY = `echo '</script><script>alert(1)</script> <!-- done -->'; echo "the token is ${SECRET}"; echo LOOP_COMPLETE`;
const FILES = toFiles('event_loop: { max_iterations: 3 }\n', BODY);

async function withRun(use: (folder: string) => Promise<void>): Promise<void> {
  await withPlace(FILES, async (folder) => {
    const { code, stderr } = await ralph(folder, ['run', '-p', `Use ${SECRET} </script>`, '--no-tui'], ENV);
    expect(code, stderr).toBe(0);
    await use(folder);
  });
}

function findJournal(folder: string): string {
  const [run = ''] = readdirSync(join(folder, '.ralph', 'runs'));
  return join(folder, '.ralph', 'runs', run, 'journal.jsonl');
}

const readData = (page: string): { readonly entries: readonly unknown[]; readonly leftOut: string; readonly turns: object } =>
  JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '');

describe.concurrent('a report', () => {
  test('has the journal, masked, as data that ends no element, and names what it leaves out', async () => {
    await withRun(async (folder) => {
      expect(await ralph(folder, ['report', '-o', 'run.html'], ENV)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('run.html'),
      });
      const page = readFileSync(join(folder, 'run.html'), 'utf8');
      expect(page).not.toContain(SECRET);
      expect(page).not.toContain('</script><script>alert');
      expect(readData(page)).toMatchObject({ leftOut: expect.stringContaining('--with-outputs'), turns: {} });
      expect(readData(page).entries.length).toBeGreaterThan(2);
    });
  });

  test('with outputs has what was said, masked and without markup that acts', async () => {
    await withRun(async (folder) => {
      const { stdout } = await ralph(folder, ['report', 'last', '--with-outputs', '-o', '-'], ENV);
      expect(stdout).not.toContain(SECRET);
      expect(readData(stdout)).toMatchObject({
        leftOut: expect.stringContaining('not kept'),
        turns: { '1.1': { output: expect.stringContaining('<script>alert(1)') } },
      });
    });
  });

  test('is Markdown where the name says so', async () => {
    await withRun(async (folder) => {
      expect((await ralph(folder, ['report', '-o', 'run.md'], ENV)).code).toBe(0);
      expect(readFileSync(join(folder, 'run.md'), 'utf8')).toMatch(/^<!-- ralph report -->\n\n## Completed/);
      expect((await ralph(folder, ['report', '-o', 'run.md'], ENV)).code).toBe(0);
    });
  });

  test('of a damaged journal says so, on the terminal and in the file', async () => {
    await withRun(async (folder) => {
      const journal = findJournal(folder);
      const bytes = readFileSync(journal);
      bytes.fill(0, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 40);
      writeFileSync(journal, bytes);
      expect(await ralph(folder, ['report', '-o', 'run.html'], ENV)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('Damaged: '),
      });
      expect(readData(readFileSync(join(folder, 'run.html'), 'utf8'))).toMatchObject({ damage: expect.stringContaining('journal.jsonl') });
    });
  });

  test('replaces an earlier report and no other file, and refuses an ending that says nothing', async () => {
    await withRun(async (folder) => {
      const report = (file: string) => ralph(folder, ['report', '-o', file], ENV);
      writeFileSync(join(folder, 'mine.html'), '<!doctype html>mine');
      expect(await report('mine.html')).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') });
      expect(readFileSync(join(folder, 'mine.html'), 'utf8')).toBe('<!doctype html>mine');
      expect((await report('run.html')).code).toBe(0);
      expect((await report('run.html')).code).toBe(0);
      expect(await report('run.txt')).toMatchObject({ code: 2, stderr: expect.stringContaining('.html') });
      expect(await report('no/such/run.html')).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be written') });
      expect(existsSync(join(folder, 'run.txt'))).toBe(false);
    });
  });
});
