import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext, RUN_ID, sampleRecords } from '../fixtures.ts';
import { followOutput } from './show-command.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-show-'));
writeFileSync(join(FOLDER, 'prompt.md'), 'Do \u001b[31mit\u001b[0m.\n');

function toStat(of: string) {
  const file = { path: `of ${of}`, from: null, status: 'changed', added: 3, removed: 1, isSubmodule: false } as const;
  return { files: [file], added: 3, removed: 1, between: [], isWhole: true, prefix: '' };
}

async function show(
  args: readonly string[],
  isTty = false,
  records = sampleRecords(),
  more: Partial<ReturnType<AppApi['openRunReader']>> = {},
) {
  const base = createFakeApp(records);
  const asked: (string | undefined)[] = [];
  const openRunReader: AppApi['openRunReader'] = (cwd, run, env) => {
    asked.push(run);
    const reader = (base.openRunReader as AppApi['openRunReader'])(cwd, run, env);
    return {
      ...reader,
      turnFile: (_name, file) => join(FOLDER, file),
      diff: async (name) => (name === '1.1' ? '' : `diff --git a/x b/x\n+of ${name ?? 'the run'}\n`),
      stat: async (name) => (name === '1.1' ? null : toStat(name ?? 'the run')),
      ...more,
    };
  };
  const fake = createFakeContext({ app: { ...base, openRunReader }, isTty });
  const exitCode = await performCommandLine(['show', ...args], fake.context);
  return { exitCode, out: fake.out(), err: fake.err(), run: asked[0] };
}

describe('ralph show', () => {
  it('shows the turns of the newest run and how it ended', async () => {
    const { out, run } = await show([]);
    expect(run).toBeUndefined();
    expect(out).toMatch(
      /^Run 20261121-223331-k7f2a\n {2}1 planner succeeded after 12\.3 s, \$0\.0200 → build\.task to builder\n {2}2 builder failed/,
    );
    expect(out).toContain('Not completed (max_iterations)');
  });

  it('of a run that a fleet keeps says that its changes are where it is, and not that git is missing', async () => {
    const copy = { isCopy: true, diff: async () => null, stat: async () => null };
    for (const args of [['--diff'], ['--stat'], ['1', '--diff']]) {
      const { exitCode, err } = await show(args, false, sampleRecords(), copy);
      expect(exitCode).toBe(1);
      expect(err).toMatch(/changed is not here\..*\n.*in the folder where it is\.\n.*ralph fleet runs 20261121/);
      expect(err).not.toContain('git repository');
    }
  });

  it('of a run whose process is gone says so of its last turn, what it left working, and that nobody saw what it changed', async () => {
    const records = sampleRecords();
    const cut = records.slice(
      0,
      records.findIndex((record) => record.kind === 'input' && record.input.type === 'iteration-ended'),
    );
    const { out } = await show([], false, cut, { left: () => [4711], damage: () => 'journal.jsonl: line 4 is cut short' });
    expect(out).toContain('\n  Damaged  journal.jsonl: line 4 is cut short\n');
    expect(out).toContain('\n  1 planner was running when the process of the run ended\n');
    expect(out).toMatch(/\n {2}Left +process 4711 is still at work/);
    expect((await show([], false, cut, { isAlive: true })).out).toContain('\n  1 planner is running\n');
    const unseen = { diff: async () => '', stat: async () => ({ ...toStat(''), files: [], isWhole: false }) };
    expect((await show(['--diff'], false, cut, unseen)).err).toMatch(/ changed no file\. The end of the last turn was not seen/);
  });

  it('marks the turn whose event a red gate blocked, in the list and on its own page', async () => {
    const payload = { blocked_by: 'npm test', original: 'build.done', published_by: 'builder', gates: ['npm test'] };
    const records = sampleRecords().map((record) => {
      if (record.kind !== 'effect' || record.effect.type !== 'event-publish' || record.effect.event.id !== 'e4') return record;
      return { ...record, effect: { ...record.effect, event: { ...record.effect.event, source: 'quality_gate', payload } } };
    });
    expect((await show([], false, records)).out).toMatch(
      /\n {2}2\.2 builder succeeded after .* → build\.done blocked by a gate: build\.blocked to planner\n/,
    );
    expect((await show(['2'], false, records)).out).toMatch(/\n {2}Blocked +build\.done by npm test: build\.blocked to planner\n/);
  });

  it.each([
    [['2'], undefined, /iteration 2, attempt 2\n/],
    [['2.1'], undefined, /iteration 2\n/],
    [['20261121-22', '1'], '20261121-22', /iteration 1\n/],
    [['20261121-22'], '20261121-22', /^Run 2026/],
  ])('understands %j', async (args, run, expected) => {
    const shown = await show(args);
    expect(shown.run).toBe(run);
    expect(shown.out).toMatch(expected);
  });

  it('gives the prompt as it is to a program, and cleaned to a terminal', async () => {
    expect((await show(['1', '--prompt'])).out).toBe('Do \u001b[31mit\u001b[0m.\n');
    expect((await show(['1', '--prompt'], true)).out).toBe('Do it.\n');
  });

  it('shows what a turn changed, and says so when that is nothing', async () => {
    expect((await show(['2', '--diff'])).out).toBe('diff --git a/x b/x\n+of 2.2\n');
    expect(await show(['1', '--diff'])).toMatchObject({ exitCode: 0, out: '', err: 'Iteration 1 changed no file.\n' });
  });

  it('shows what the whole run changed where no iteration is named, and of what was said the last', async () => {
    expect((await show(['--diff'])).out).toBe('diff --git a/x b/x\n+of the run\n');
    expect((await show(['--stat'])).out).toBe('  of the run  +3 −1\n1 file changed, +3 −1 lines.\n');
    expect((await show(['2', '--stat'])).out).toContain('of 2.2  +3 −1');
    expect((await show(['--prompt'])).out).toContain('Do');
  });

  it('says why nobody knows what changed', async () => {
    expect(await show(['1', '--stat'])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('What it changed of iteration 1 is not there.'),
    });
  });

  it('shows the events of an iteration', async () => {
    const { out } = await show(['2', '--events']);
    expect(out).toContain('builder.scope_violation');
    expect(out).not.toContain('build.task');
  });

  it.each([
    [['9'], /has no iteration 9/],
    [['2.7'], /has no turn 2\.7/],
    [[RUN_ID, 'x'], /"x" is no iteration/],
    [['1', '--prompt', '--diff'], /cannot be used together/],
  ])('explains %j', async (args, message) => {
    const { exitCode, err } = await show(args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(message);
  });

  it('says that an output is not there', async () => {
    expect((await show(['1', '--output'])).err).toContain('The output of iteration 1 is not there.');
  });
});

it('shows what an agent says while it says it, goes on with the next turn, and ends with the run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-follow-'));
  try {
    const fake = createFakeContext({ isTty: true });
    const textOf = (turn: string): string => join(folder, turn);
    const run = { names: ['1.1', '2.1'], isOver: false };
    writeFileSync(textOf('1.1'), 'said long ago\n');
    writeFileSync(textOf('2.1'), 'first ');
    const redact = (text: string): string => text.replace('hunter2', '[redacted]');
    const followed = followOutput(fake.context, { turns: () => run.names, textOf, isOver: () => run.isOver, redact });
    appendFileSync(textOf('2.1'), '\u001b[31mwords hunter2\n');
    fake.pass(300);
    expect(fake.out()).toBe('── iteration 2 ──\nfirst words [redacted]\n');
    run.names = ['1.1', '2.1', '3.1'];
    writeFileSync(textOf('3.1'), 'the end');
    run.isOver = true;
    fake.pass(300);
    await followed;
    expect(fake.out()).toBe('── iteration 2 ──\nfirst words [redacted]\n── iteration 3 ──\nthe end');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
