import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDetached } from './start-detached.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-detached-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Starts a program of the test's in the place of `ralph`. */
function begin(program: string, patienceMs: number, abort: AbortSignal = new AbortController().signal) {
  writeFileSync(join(cwd, 'program.mjs'), program);
  const env = { PATH: process.env['PATH'] ?? '' };
  const order = { cwd, stateDir: '.ralph', words: ['run'], stdin: null, env, abort };
  return startDetached(order, { command: [process.execPath, join(cwd, 'program.mjs')], patienceMs });
}

const HANGS = `import { writeFileSync } from 'node:fs';
writeFileSync('pid', String(process.pid)); console.log('looking for something'); setInterval(() => undefined, 1000);`;

it('ends a process that does not say in time that its run has begun, and tells what it said last', async () => {
  await expect(begin(HANGS, 1500)).rejects.toMatchObject({
    code: 'detach-failed',
    message: expect.stringContaining('did not begin within'),
    why: expect.stringContaining('looking for something'),
    exitCode: 1,
  });
  expect(() => process.kill(Number(readFileSync(join(cwd, 'pid'), 'utf8')), 0)).toThrow('ESRCH');
  expect(existsSync(join(cwd, '.ralph'))).toBe(false);
});

it('ends a process that has not begun when the person interrupts', async () => {
  const controller = new AbortController();
  const begun = begin(HANGS, 60_000, controller.signal);
  controller.abort();
  await expect(begun).rejects.toMatchObject({ code: 'detach-interrupted', exitCode: 130 });
});

it('names the run that a process says has begun, and keeps what it prints', async () => {
  const says = `import { mkdirSync } from 'node:fs';
mkdirSync('.ralph/runs/20261122-101112-abcde', { recursive: true });
console.log('at work');
process.send({ runId: '20261122-101112-abcde' }, () => process.disconnect());`;
  const begun = await begin(says, 60_000);
  expect(begun).toMatchObject({ kind: 'running', runId: '20261122-101112-abcde' });
  expect(readFileSync(join(cwd, '.ralph/runs/20261122-101112-abcde/output.log'), 'utf8')).toBe('at work\n');
});

it('does not take the message of a process for the beginning of a run that is not there', async () => {
  await expect(begin("process.send({ runId: '../../elsewhere' }, () => process.exit(3));", 60_000)).rejects.toMatchObject({
    code: 'detach-failed',
    message: expect.stringContaining('exit code 3'),
  });
});

it('hands on the words and the exit code of a process that ends before it has a run', async () => {
  const program = "console.error('no such thing'); process.exitCode = 2;";
  expect(await begin(program, 60_000)).toEqual({ kind: 'ended', exitCode: 2, output: 'no such thing\n' });
});
