import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SCRIPT_BACKEND, toFiles } from './agent-script.ts';
import { ralph as runRalph, type Started, start as startRalph, withFolder } from './ralph.ts';

/** A machine on which an agent is there. */
const programs = mkdtempSync(join(tmpdir(), 'ralph-e2e-programs-'));
writeFileSync(join(programs, 'pi'), '#!/bin/sh\n', { mode: 0o755 });
afterAll(() => rmSync(programs, { recursive: true, force: true }));
const WITH_AGENT = { PATH: [programs, process.env['PATH']].join(delimiter) };
const ralph = (folder: string, args: readonly string[]): ReturnType<typeof runRalph> => runRalph(folder, args, WITH_AGENT);
const start = (folder: string, args: readonly string[]): Started => startRalph(folder, args, WITH_AGENT);

const hat = (publishes: string): string =>
  `hats:\n  worker:\n    triggers: [task.start, task.resume, again]\n    publishes: [${publishes}]\n`;
const VALID = hat('again');

/** The next report of `ralph validate --watch --format json`: the codes of its findings. */
function createReports({ child }: Started): () => Promise<readonly string[]> {
  const lines: string[] = [];
  let rest = '';
  const waiting: ((line: string) => void)[] = [];
  child.stdout?.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) (waiting.shift() ?? ((later: string) => lines.push(later)))(line);
  });
  return async () => {
    const line = lines.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
    const { files } = JSON.parse(line) as { files: { diagnostics: { code: string }[] }[] };
    return files.flatMap((file) => file.diagnostics.map(({ code }) => code));
  };
}

/** Waits for a report with these codes among its own, or for one without any: between two steps of a save a file may be seen empty, or not at all. */
async function expectSoon(next: () => Promise<readonly string[]>, ...codes: readonly string[]): Promise<void> {
  const isMeant = (found: readonly string[]): boolean =>
    codes.length === 0 ? found.length === 0 : codes.every((code) => found.includes(code));
  for (let found = await next(); !isMeant(found); found = await next());
}

describe('ralph validate --watch', () => {
  test('reports after every way in which an editor saves, and ends with 130 at Ctrl+C', async () => {
    await withFolder({ 'ralph.yml': VALID }, async (folder) => {
      const file = join(folder, 'ralph.yml');
      const started = start(folder, ['validate', '--watch', '--format', 'json']);
      const next = createReports(started);
      await expectSoon(next);
      writeFileSync(file, hat('again, ship.it'));
      await expectSoon(next, 'event-orphan');
      writeFileSync(`${file}.new`, VALID);
      renameSync(`${file}.new`, file);
      await expectSoon(next);
      renameSync(file, `${file}~`);
      writeFileSync(file, hat('again, ship.it'));
      await expectSoon(next, 'event-orphan');
      writeFileSync(file, 'hats: [');
      await expectSoon(next, 'yaml-syntax');
      started.child.kill('SIGINT');
      expect(await started.done).toMatchObject({ code: 130, stderr: '' });
    });
  });

  test('watches imported files and instructions too, also when their folder goes away and comes back', async () => {
    const files = {
      'ralph.yml': 'hats:\n  worker:\n    import: ./hats/worker.yml\n',
      'hats/worker.yml': 'triggers: [task.start, task.resume]\ninstructions_file: worker.md\n',
      'hats/worker.md': 'Do it.\n',
    };
    await withFolder(files, async (folder) => {
      const started = start(folder, ['validate', '--watch', '--format', 'json']);
      const next = createReports(started);
      await expectSoon(next);
      writeFileSync(join(folder, 'hats/worker.yml'), 'triggers: [task.start, task.resume]\nzebra: 1\ninstructions_file: worker.md\n');
      await expectSoon(next, 'key-unknown');
      rmSync(join(folder, 'hats/worker.md'));
      await expectSoon(next, 'instructions-file');
      rmSync(join(folder, 'hats'), { recursive: true });
      await expectSoon(next, 'import-missing');
      mkdirSync(join(folder, 'hats'));
      writeFileSync(join(folder, 'hats/worker.yml'), 'triggers: [task.start, task.resume]\n');
      await expectSoon(next);
      started.child.kill('SIGTERM');
      expect(await started.done).toMatchObject({ code: 143 });
    });
  });

  test('begins with a file that is not there yet', async () => {
    await withFolder({}, async (folder) => {
      const started = start(folder, ['validate', '--watch', '--format', 'json']);
      const next = createReports(started);
      await expectSoon(next);
      writeFileSync(join(folder, 'ralph.yml'), 'hats: {}\n');
      await expectSoon(next, 'hats-empty');
      started.child.kill('SIGINT');
      expect((await started.done).code).toBe(130);
    });
  });

  test('says that the file is gone, and never that half of a save is valid', async () => {
    await withFolder({ 'ralph.yml': VALID }, async (folder) => {
      const file = join(folder, 'ralph.yml');
      const started = start(folder, ['validate', '--watch']);
      await started.says('ralph.yml: valid (hats: worker)\n');
      writeFileSync(file, '');
      await new Promise((resolve) => setTimeout(resolve, 15));
      writeFileSync(file, hat('again, ship.it'));
      await started.says('ralph.yml: 1 error\n');
      rmSync(file);
      await started.says('ralph.yml is not there any more.');
      writeFileSync(file, VALID.replace('worker', 'helper'));
      await started.says('ralph.yml: valid (hats: helper)\n');
      started.child.kill('SIGINT');
      expect((await started.done).stdout).not.toContain('solo');
    });
  });

  test('tells people when it looked, what is new, and that nothing is', async () => {
    await withFolder({ 'ralph.yml': VALID }, async (folder) => {
      const started = start(folder, ['validate', '--watch']);
      await started.says('ralph.yml: valid (hats: worker)\n');
      writeFileSync(join(folder, 'ralph.yml'), `${VALID}# a word\n`);
      await started.says('ralph.yml: valid (hats: worker), as before\n');
      writeFileSync(join(folder, 'ralph.yml'), hat('again, ship.it'));
      await started.says('ralph.yml: 1 error\n');
      started.child.kill('SIGINT');
      const { code, stdout } = await started.done;
      expect(code).toBe(130);
      expect(stdout).toMatch(/^\d\d:\d\d:\d\d\nralph\.yml: valid/);
      expect(stdout.match(/ERROR: /g)).toHaveLength(1);
    });
  });
});

describe('ralph validate', () => {
  test('repairs the file with ten mistakes but for those that only its author can decide', async () => {
    const text = readFileSync(new URL('../../fixtures/ten-mistakes.yml', import.meta.url), 'utf8');
    await withFolder({ 'ralph.yml': text }, async (folder) => {
      const before = await ralph(folder, ['validate']);
      expect(before).toMatchObject({ code: 1, stderr: '' });
      expect(before.stdout.match(/^(ERROR|WARN): .*\n {2}at ralph\.yml:\d+:\d+$/gm)?.length).toBeGreaterThanOrEqual(10);
      expect(await ralph(folder, ['validate', '--fix'])).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/ralph\.yml: 2 errors(?:, 1 warning)?\n/),
      });
    });
  });

  test('a run that is refused shows the same findings, and where to go on', async () => {
    await withFolder({ 'ralph.yml': hat('again, ship.it'), 'PROMPT.md': 'Do it.' }, async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^ralph: The configuration cannot be run\.\n\nERROR: Event 'ship\.it' published by 'worker' has no subscriber\. \[event-orphan\]\n {2}at ralph\.yml:4:24\n/,
      );
      expect(stderr).toMatch(/\n\nCheck again: ralph validate\nMore: ralph explain event-orphan\n$/);
    });
  });

  test('stops quietly when nobody reads its output', async () => {
    await withFolder({ 'ralph.yml': hat('again, ship.it') }, async (folder) => {
      const started = start(folder, ['validate', '--format', 'json']);
      started.child.stdout?.destroy();
      expect(await started.done).toMatchObject({ stderr: '' });
    });
  });
});

describe.concurrent('`strict_validation: false`', () => {
  test.each([
    ['with an orphan event', 'planner: {triggers: [task.start, task.resume, build.done], publishes: [build.task, lost.event]}'],
    ['with a trigger that two take', 'planner: {triggers: [task.start, task.resume, build.done, build.task], publishes: [build.task]}'],
  ])('downgrades errors to warnings, and the loop proceeds to its end: %s', async (_, planner) => {
    const team = `event_loop: {coordinator: hats, STRICT}\nhats:\n  ${planner}\n  builder: {triggers: [build.task], publishes: [build.done]}\n`;
    await withFolder(toFiles(team.replace('STRICT', 'strict_validation: true'), 'echo LOOP_COMPLETE'), async (folder) => {
      const refused = await ralph(folder, ['run', '-p', 'x', '--no-tui']);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toContain('ERROR');
      writeFileSync(join(folder, 'ralph.yml'), `${SCRIPT_BACKEND}${team.replace('STRICT', 'strict_validation: false')}`);
      const ran = await ralph(folder, ['run', '-p', 'x', '--no-tui']);
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stderr).not.toContain('ERROR');
      expect(ran.stdout).toContain('Completed, unproven after 1 iteration');
    });
  });
});
