/** Runs from a program: the library in this process, agents as processes of their own. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listRuns, openRun, planRun, type RunRecord, resumeRun, startRun } from '../../src/index.ts';
import { plainEnvironment, ralph, withFolder } from './ralph.ts';

const env = plainEnvironment();
const CONFIG = 'cli: {backend: custom, command: ./agent.sh}\n';
const toFiles = (script: string): Record<string, string> => ({ 'ralph.yml': CONFIG, 'agent.sh': `#!/bin/sh\n${script}\n` });
const DONE = 'echo "I work"; echo LOOP_COMPLETE';
/** Works twice, as its own notes tell. */
const TWICE = 'if [ -e once ]; then echo LOOP_COMPLETE; else touch once; echo begun; sleep 1; fi';
/** 40 MB of text. */
const TALKATIVE = 'head -c 40000000 /dev/zero | tr "\\0" x | fold -w 999; echo; echo LOOP_COMPLETE';

async function withAgent(script: string, act: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(toFiles(script), async (cwd) => {
    chmodSync(join(cwd, 'agent.sh'), 0o755);
    await act(cwd);
  });
}

async function collect(records: AsyncIterable<RunRecord>): Promise<readonly RunRecord[]> {
  const all: RunRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

const isKept = ({ kind }: RunRecord): boolean => kind === 'input' || kind === 'effect';
/** Without what is made anew each time. */
const toKept = (records: readonly RunRecord[]): unknown => JSON.parse(JSON.stringify(records.filter(isKept)));

describe('a run from a program', () => {
  test('is its records, from run to end, the same for whoever reads it later or prints its journal', async () => {
    await withAgent(DONE, async (cwd) => {
      const run = await startRun({ cwd, prompt: 'Do it', env });
      const records = await collect(run);
      expect([records[0]?.kind, records.at(-1)?.kind]).toEqual(['run', 'end']);
      expect(records.map((record) => (record.kind === 'live' && record.type === 'text' ? record.text : '')).join('')).toContain('I work\n');
      expect(await run.outcome).toMatchObject({ reason: 'completed', exitCode: 0, runId: run.runId, view: { status: 'ended' } });
      expect(records.at(-1)).toMatchObject({ v: 1, reason: 'completed', exitCode: 0, at: expect.any(Number) });
      const again = await collect(run);
      const read = await openRun({ cwd, env });
      expect(toKept(again)).toEqual(toKept(records));
      expect(toKept(await collect(read.records({ follow: true })))).toEqual(toKept(records));
      expect(read.status()).toMatchObject({ isAlive: false, exitCode: 0, runId: run.runId });
      expect(read.turns()).toEqual(['1.1']);
      expect(await listRuns({ cwd, env })).toMatchObject([{ runId: run.runId, status: 'ended', reason: 'completed' }]);
    });
  });

  test('goes on without a reader, after one that left, and after one that failed', async () => {
    await withAgent(TALKATIVE, async (cwd) => {
      const unread = await startRun({ cwd, prompt: 'x', env });
      expect((await unread.outcome).reason).toBe('completed');
      const left = await startRun({ cwd, prompt: 'x', env });
      for await (const record of left) if (record.kind === 'live') break;
      expect((await left.outcome).reason).toBe('completed');
      const failed = await startRun({ cwd, prompt: 'x', env });
      const reading = async (): Promise<void> => {
        for await (const record of failed) if (record.kind === 'live') throw new Error('mine');
      };
      await expect(reading()).rejects.toThrow('mine');
      expect((await failed.outcome).reason).toBe('completed');
    });
  });

  test('has its agent wait for a slow reader, who gets every character', async () => {
    await withAgent(TALKATIVE, async (cwd) => {
      const run = await startRun({ cwd, prompt: 'x', env });
      let characters = 0;
      let isOver = false;
      void run.outcome.then(() => {
        isOver = true;
      });
      for await (const record of run) {
        if (record.kind !== 'live' || record.type !== 'text') continue;
        if (characters === 0) {
          await pause(3000);
          expect(isOver).toBe(false);
        }
        characters += record.text.length;
      }
      expect(characters).toBeGreaterThanOrEqual(40_000_000);
    });
  });

  test('stays apart from another one in another folder', async () => {
    await withAgent(TWICE, async (one) => {
      await withAgent(DONE, async (two) => {
        const runs = await Promise.all([startRun({ cwd: one, prompt: 'one', env }), startRun({ cwd: two, prompt: 'two', env })]);
        const [first, second] = await Promise.all(runs.map(collect));
        expect(first?.at(-1)).toMatchObject({ kind: 'end', runId: runs[0]?.runId, reason: 'completed' });
        expect(second?.at(-1)).toMatchObject({ kind: 'end', runId: runs[1]?.runId, reason: 'completed' });
        expect((await runs[0]?.outcome)?.view.totals.iterations).toBe(2);
        expect((await runs[1]?.outcome)?.view.totals.iterations).toBe(1);
      });
    });
  });

  test('is ended by a signal as by Ctrl+C, and goes on from there', async () => {
    await withAgent(`if [ -e again ]; then ${DONE}; else sleep 100; fi`, async (cwd) => {
      const stopper = new AbortController();
      const run = await startRun({ cwd, prompt: 'x', env, signal: stopper.signal });
      for await (const record of run) if (record.kind === 'input' && record.type === 'iteration-spawned') stopper.abort();
      expect(await run.outcome).toMatchObject({ reason: 'interrupted', exitCode: 130 });
      writeFileSync(join(cwd, 'again'), '');
      const resumed = await resumeRun({ cwd, env });
      const records = await collect(resumed);
      expect(records[1]).toMatchObject({ kind: 'input', type: 'run-resumed' });
      expect(await resumed.outcome).toMatchObject({ reason: 'completed', runId: run.runId });
      await expect(resumeRun({ cwd, env })).rejects.toMatchObject({ code: 'resume-over' });
      await expect(startRun({ cwd, prompt: 'x', env, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    });
  });

  test('takes events from its own program without a terminal or a token, also through openRun', async () => {
    await withAgent(TWICE, async (cwd) => {
      const run = await startRun({ cwd, prompt: 'x', env, assignments: ['external_events=off'] });
      const read = await openRun({ cwd, env });
      let given: readonly string[] = [];
      for await (const record of run) {
        if (record.kind === 'input' && record.type === 'iteration-spawned' && record.iteration === 1) {
          expect(run.emit('note.one', { files: 3 })).toMatchObject({
            delivery: expect.stringContaining('gets it in its next turn'),
            cut: 0,
          });
          read.emit('note.two', 'text');
        }
        if (record.kind === 'effect' && record.type === 'event-publish' && record.event.topic === 'note.one')
          expect(record.event).toMatchObject({ payload: { files: 3 }, source: 'external', sender: { how: 'program' } });
        if (record.kind === 'effect' && record.type === 'iteration-start') given = record.events.map(({ topic }) => topic);
      }
      expect(given).toEqual(expect.arrayContaining(['note.one', 'note.two']));
    });
  });

  test('of another process whose agents are not isolated is followed, and stopped by whoever has its token alone', async () => {
    await withAgent('sleep 100', async (cwd) => {
      const token = 'a-token-that-nobody-can-guess';
      const other = ralph(cwd, ['run', '-p', 'x', '--no-tui', '-q', '-c', 'isolation=off'], { RALPH_TOKEN: token });
      while ((await listRuns({ cwd, env }))[0]?.status !== 'running') await pause(50);
      const read = await openRun({ cwd, env: { ...env, RALPH_TOKEN: token } });
      const following = collect(read.records({ follow: true }));
      const without = await openRun({ cwd, env });
      await expect(without.stop({ now: true })).rejects.toMatchObject({ code: 'person-refused' });
      expect(await read.stop({ now: true })).toBe(true);
      expect((await following).at(-1)).toMatchObject({ kind: 'end', reason: 'interrupted' });
      expect((await other).code).toBe(130);
    });
  });

  test('knows whose token is good from the moment it counts as under way', async () => {
    await withAgent(DONE, async (cwd) => {
      const runs = join(cwd, '.ralph/runs');
      const other = ralph(cwd, ['run', '-p', 'x', '--no-tui', '-q'], { RALPH_TOKEN: 'a-token-that-nobody-can-guess' });
      let folder: string | undefined;
      while (folder === undefined || !existsSync(join(runs, folder, 'lock'))) {
        folder = existsSync(runs) ? readdirSync(runs)[0] : undefined;
        await pause(0);
      }
      expect(existsSync(join(runs, folder, 'people.json'))).toBe(true);
      expect((await other).code).toBe(0);
    });
  });

  test('is refused with all that is wrong: with the configuration, with the call, without a PATH', async () => {
    await withFolder({ 'ralph.yml': 'hats:\n  a: {triggers: [task.start], publishes: [x.y]}\n' }, async (cwd) => {
      await expect(startRun({ cwd, prompt: 'x', env })).rejects.toMatchObject({
        code: 'config-invalid',
        fix: expect.stringContaining('x.y'),
      });
      await expect(startRun({ promt: 'x' } as never)).rejects.toMatchObject({
        code: 'library-argument',
        message: expect.stringContaining('`prompt`'),
      });
      await expect(startRun({ maxIterations: 0 })).rejects.toMatchObject({ message: expect.stringContaining('maxIterations') });
      await expect(startRun(null as never)).rejects.toMatchObject({ code: 'library-argument' });
      await expect(openRun({ cwd, env })).rejects.toMatchObject({ code: 'no-runs' });
    });
    await withFolder({}, async (cwd) => {
      await expect(startRun({ cwd, prompt: 'x', env: {} })).rejects.toMatchObject({ name: 'RalphError', code: 'no-agent-found' });
    });
  });

  test('can be looked at before it starts', async () => {
    await withAgent(DONE, async (cwd) => {
      const plan = await planRun({ cwd, prompt: 'Do it', env, maxIterations: 3 });
      expect(plan).toMatchObject({ spec: { objective: 'Do it', limits: { maxIterations: 3 } }, diagnostics: [] });
      expect(plan.firstPrompt).toContain('Do it');
      expect(await listRuns({ cwd, env })).toEqual([]);
      expect(await (await startRun(plan)).outcome).toMatchObject({ reason: 'completed' });
    });
  });
});
