/** Hats that wait at the same time work at the same time: `ralph run` with programs and with scripted models as agents. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { ralph, readJsonLines, start, withFolder } from './ralph.ts';

const CONFIG = `
event_loop: {prompt: Check it, routing: fanout, parallel: true, coordinator: hats, max_iterations: 9, checkpoint_interval: 1}
gates: []
hats:
  lead: {triggers: [task.start, task.resume], publishes: [build.done]}
  linter: {triggers: [build.done], publishes: [lint.passed]}
  tester: {triggers: [build.done], publishes: [test.passed]}
  closer: {triggers: [lint.passed, test.passed], publishes: [task.complete]}
`;

const toBody = (linter: string, tester: string): string => `
echo "$RALPH_HAT has begun"
case $RALPH_HAT in
lead) emit build.done go ;;
linter) ${linter}
  emit lint.passed ok ;;
tester) ${tester}
  emit test.passed ok ;;
closer) emit task.complete "$(ls *.txt | tr '\\n' ' ')" ;;
esac`;

const listRuns = (folder: string): string[] => readdirSync(join(folder, '.ralph/runs')).filter((name) => /^\d/.test(name));
const readJournal = (folder: string): readonly { readonly type: string; readonly iteration?: number; readonly at: number }[] =>
  readJsonLines<{ input: ReturnType<typeof readJournal>[number] }>(
    readFileSync(join(folder, '.ralph/runs', listRuns(folder)[0] ?? '', 'journal.jsonl'), 'utf8'),
  ).flatMap(({ input }) => input ?? []);

test('two hats of 3 s each take less than 6 s, each has its own commit, and who takes both results is called once', async () => {
  const files = toFiles(
    CONFIG,
    toBody(
      'sleep 3; echo l > lint.txt; mkdir -p out; echo l > out/report',
      'sleep 3; echo t > test.txt; mkdir -p out; echo t > out/report',
    ),
    {
      '.gitignore': 'out/\n',
    },
  );
  await withFolder(files, async (folder) => {
    makeRepository(folder);
    const run = await ralph(folder, ['run', '--no-tui']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const times = (type: string): number[] =>
      readJournal(folder).flatMap((input) => (input.type === type && [2, 3].includes(input.iteration ?? 0) ? [input.at] : []));
    expect(Math.max(...times('iteration-ended')) - Math.min(...times('iteration-spawned'))).toBeLessThan(6000);
    // Each line says whose it is.
    expect(run.stdout).toMatch(/ {2}linter {2}linter has begun[\s\S]* {2}tester {2}✓ succeeded/);
    expect(run.stdout.match(/· closer/g)).toHaveLength(1);
    const commits = git(folder, 'log', '--format=%s', '--name-only', '-2');
    expect(
      commits
        .split('\n')
        .filter((line) => line.endsWith('.txt'))
        .toSorted(),
    ).toEqual(['lint.txt', 'test.txt']);
    for (const [turn, file] of [
      ['2', 'lint.txt'],
      ['3', 'test.txt'],
    ]) {
      const shown = await ralph(folder, ['show', listRuns(folder)[0] ?? '', turn ?? '', '--diff']);
      expect(shown.stdout.match(/\w+\.txt/g)?.every((name) => name === file)).toBe(true);
    }
    expect(readdirSync(join(folder, '.ralph/runs', listRuns(folder)[0] ?? '', 'copies'))).toEqual([]);
  });
});

test('whichever ends first, the report, the difference and the undoing have the work of both', async () => {
  const files = toFiles(CONFIG, toBody('sleep 2; echo l > lint.txt', 'echo t > test.txt'), {});
  await withFolder(files, async (folder) => {
    makeRepository(folder);
    const run = await ralph(folder, ['run', '--no-tui', '-c', 'event_loop.checkpoint_interval=0']);
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/Changed +2 files.*: lint\.txt, test\.txt/)]);
    const patch = (await ralph(folder, ['show', '--diff'])).stdout;
    expect(patch).toMatch(/lint\.txt[\s\S]*test\.txt/);
    const undone = await ralph(folder, ['undo', '--yes']);
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('lint.txt')]);
    expect(['lint.txt', 'test.txt'].filter((name) => existsSync(join(folder, name)))).toEqual([]);
  });
});

test('of two that change the same file the second does it again, on what the first has made', async () => {
  const files = toFiles(CONFIG, toBody('sleep 1; echo l >> same.txt', 'sleep 2; echo t >> same.txt'), { 'same.txt': 'base\n' });
  await withFolder(files, async (folder) => {
    const run = await ralph(folder, ['run', '--no-tui']);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('tester gets its turn again: same.txt was changed meanwhile')]);
    expect(readFileSync(join(folder, 'same.txt'), 'utf8')).toBe('base\nl\nt\n');
    expect(run.stdout).toContain('tester 2 turns (1 done again)');
    expect(run.stdout).not.toContain('not taken over');
    const shown = await ralph(folder, ['show', '3']);
    expect(shown.stdout).toMatch(/Conflict +what it made is not in the folder: same\.txt was changed meanwhile/);
    expect(shown.stdout).toContain('copies/kept-3.1');
    expect(readdirSync(join(folder, '.ralph/runs', listRuns(folder)[0] ?? '', 'copies'))).toEqual(['kept-3.1']);
  });
});

test('Ctrl+C ends both, a resume takes both up on what they had made, and each publishes once', async () => {
  const body = (hat: string): string => `[ -e ${hat}.txt ] || { echo half > ${hat}.txt; sleep 30; }; echo whole > ${hat}.txt`;
  await withFolder(toFiles(CONFIG, toBody(body('lint'), body('test'))), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await run.says('linter has begun');
    await run.says('tester has begun');
    await vi.waitFor(() => expect(findCopies(folder, 'txt')).toHaveLength(2), 5000);
    run.child.kill('SIGINT');
    const ended = await run.done;
    expect([ended.code, ended.stdout]).toEqual([130, expect.stringContaining('build.done for linter')]);
    expect(readFileSync(join(folder, 'lint.txt'), 'utf8')).toBe('half\n');
    const resumed = await ralph(folder, ['resume', '--no-tui']);
    expect([resumed.code, readFileSync(join(folder, 'lint.txt'), 'utf8')]).toEqual([0, 'whole\n']);
    expect(resumed.stdout.match(/→ (lint|test)\.passed/g)).toHaveLength(2);
  });
});

test('kill -9 in the midst: nothing works on, what was made is there, and a resume takes both up', async () => {
  const body = (hat: string): string => `[ -e ${hat}.txt ] || { echo half > ${hat}.txt; sleep 30; }; echo whole > ${hat}.txt`;
  await withFolder(toFiles(CONFIG, toBody(body('lint'), body('test'))), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await vi.waitFor(() => expect(findCopies(folder, 'txt')).toHaveLength(2), 15_000);
    run.child.kill('SIGKILL');
    await run.done;
    const status = await ralph(folder, ['status']);
    expect(status.stdout).toMatch(/linter[\s\S]*tester/);
    const resumed = await ralph(folder, ['resume', '--no-tui']);
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('→ task.complete: lint.txt test.txt')]);
    const ends = readJournal(folder).filter(({ type }) => type === 'iteration-ended');
    expect(ends).toHaveLength(6);
  });
});

function findCopies(folder: string, ending: string): string[] {
  const [run = ''] = existsSync(join(folder, '.ralph/runs')) ? listRuns(folder) : [];
  const copies = join(folder, '.ralph/runs', run, 'copies');
  if (run === '' || !existsSync(copies)) return [];
  return readdirSync(copies).flatMap((name) => {
    const work = join(copies, name, 'work');
    return existsSync(work) ? readdirSync(work).filter((file) => file.endsWith(`.${ending}`)) : [];
  });
}

test('scripted models share the work, a read-only one changes nothing, and gates look at the whole', async () => {
  const model = `
hats:
  lead:
    - steps: [{calls: [{tool: emit_event, args: {topic: build.done, payload: go}}]}]
  maker:
    - steps:
        - delay_ms: 500
          calls: [{tool: write_file, args: {path: made.txt, content: "made\\n"}}]
        - calls: [{tool: emit_event, args: {topic: made.done, payload: ok}}]
  reader:
    - steps:
        - calls: [{tool: read_file, args: {path: given.txt}}]
        - calls: [{tool: emit_event, args: {topic: read.done, payload: ok}}]
  closer:
    - steps: [{calls: [{tool: emit_event, args: {topic: task.complete, payload: done}}]}]
`;
  const config = `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Make it, routing: fanout, parallel: true, coordinator: hats, max_iterations: 9}
gates: [{on: [made.done, read.done], run: test -e made.txt}]
hats:
  lead: {profile: creator, triggers: [task.start, task.resume], publishes: [build.done]}
  maker: {profile: creator, triggers: [build.done], publishes: [made.done]}
  reader: {profile: critic, triggers: [build.done], publishes: [read.done]}
  closer: {profile: creator, triggers: [made.done, read.done], publishes: [task.complete]}
`;
  await withFolder({ 'ralph.yml': config, 'model.yml': model, 'given.txt': 'given\n' }, async (folder) => {
    const run = await ralph(folder, ['run', '--no-tui', '--format', 'ndjson']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const lines = readJsonLines<{ kind: string; type?: string; iteration?: number; hat?: string; request?: number }>(run.stdout);
    expect(lines.filter(({ kind, hat }) => kind === 'live' && hat === 'maker').every(({ iteration }) => iteration === 2)).toBe(true);
    const asked = lines.flatMap(({ type, iteration }) => (type === 'gates-run' && iteration !== undefined ? [iteration] : []));
    expect(asked.toSorted()).toEqual([2, 3]);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
  });
});

test('without fan-out it is told that the key does nothing, and simulations play it', async () => {
  await withFolder(toFiles(CONFIG.replace('routing: fanout, ', ''), ':'), async (folder) => {
    const checked = await ralph(folder, ['validate']);
    expect(checked.stdout + checked.stderr).toContain('parallel-without-fanout');
    writeFileSync(join(folder, 'ralph.yml'), `cli: {backend: custom, command: ./agent.sh}\n${CONFIG}`);
    const played = await ralph(folder, ['simulate', '--runs', '50']);
    expect([played.code, played.stdout]).toEqual([0, expect.stringMatching(/completed/)]);
  });
});
