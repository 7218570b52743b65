/** Several turns of one hat at once: `ralph run` with programs as agents. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { ralph, readJsonLines, start, withFolder } from './ralph.ts';

const CONFIG = `
event_loop: {prompt: Build it, coordinator: hats, max_iterations: 20, checkpoint_interval: 1}
gates: []
hats:
  planner: {triggers: [task.start, task.resume], publishes: [task.ready]}
  builder: {triggers: [task.ready], publishes: [task.done], parallel: 3}
  closer: {triggers: [task.done], publishes: [task.complete]}
`;

/** The planner cuts five tasks; \`$task\` are those that a turn was given, one behind the other. */
const toBody = (builder: string): string => `
task=$(printf '%s' "$prompt" | grep -o 'cut-[0-9]' | sort -u | tr -d '\\n')
case $RALPH_HAT in
planner) for n in 1 2 3 4 5; do emit task.ready cut-$n; done ;;
builder) echo "$task has begun"
  ${builder}
  emit task.done ok ;;
closer) emit task.complete "$(cat same.txt 2>/dev/null | tr '\\n' ' ')" ;;
esac`;

interface Entry {
  readonly type: string;
  readonly iteration?: number;
  readonly at: number;
  readonly outcome?: { readonly status: string };
  readonly conflict?: unknown;
}

const runFolder = (folder: string): string => {
  const runs = join(folder, '.ralph/runs');
  const [run = ''] = existsSync(runs) ? readdirSync(runs).filter((name) => /^\d/.test(name)) : [];
  return join(runs, run);
};
const readJournal = (folder: string): readonly Entry[] =>
  readJsonLines<{ input?: Entry }>(readFileSync(join(runFolder(folder), 'journal.jsonl'), 'utf8')).flatMap(({ input }) => input ?? []);
const listCopies = (folder: string, file: RegExp): string[] => {
  const copies = join(runFolder(folder), 'copies');
  if (!existsSync(copies)) return [];
  return readdirSync(copies).flatMap((name) => {
    const work = join(copies, name, 'work');
    return existsSync(work) ? readdirSync(work).filter((entry) => file.test(entry)) : [];
  });
};

/** How many turns of the builder were at work at once, at most. */
function countMost(folder: string): number {
  const open = new Set<number>();
  let most = 0;
  for (const { type, iteration = 0 } of readJournal(folder)) {
    if (type === 'iteration-spawned') open.add(iteration);
    if (type === 'iteration-ended') open.delete(iteration);
    most = Math.max(most, open.size);
  }
  return most;
}

test('of five tasks three are worked on at once, then the others; each turn has one, and its own commit', async () => {
  await withFolder(toFiles(CONFIG, toBody('sleep 1; echo "$task" > "$task.txt"')), async (folder) => {
    makeRepository(folder);
    const run = await ralph(folder, ['run', '--no-tui']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(countMost(folder)).toBe(3);
    const made = readdirSync(folder).filter((name) => name.startsWith('cut-'));
    expect(made).toEqual([1, 2, 3, 4, 5].map((task) => `cut-${task}.txt`));
    // The oldest first, as they came in.
    const commits = git(folder, 'log', '--reverse', '--format=', '--name-only').split('\n');
    expect(commits.filter((line) => line.startsWith('cut-'))).toEqual(made);
    // Five times the same words are no loop, and who takes them is called once.
    expect(run.stdout.match(/· closer/g)).toHaveLength(1);
    expect(readdirSync(join(runFolder(folder), 'copies'))).toEqual([]);
  });
});

test('whichever ends first, what they make comes in by the order of the events; who changed the same file does it again', async () => {
  // The oldest is the slowest.
  const body = toBody('case $task in cut-1) sleep 3 ;; cut-2) sleep 1 ;; esac; echo "$task" >> same.txt');
  await withFolder(toFiles(CONFIG, body), async (folder) => {
    const run = await ralph(folder, ['run', '--no-tui']);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('gets its turn again: same.txt was changed meanwhile')]);
    expect(readFileSync(join(folder, 'same.txt'), 'utf8')).toBe('cut-1\ncut-2\ncut-3\ncut-4\ncut-5\n');
    // None of them twice.
    const conflicts = readJournal(folder).filter(({ conflict }) => conflict !== undefined);
    expect([conflicts.length <= 4, run.stdout.includes('error.cli')]).toEqual([true, false]);
  });
});

test('max_iterations counts each of them, and a resume with more goes on', async () => {
  await withFolder(toFiles(CONFIG, toBody('echo "$task" > "$task.txt"')), async (folder) => {
    const run = await ralph(folder, ['run', '--no-tui', '--max-iterations', '3']);
    expect([run.code === 0, run.stdout]).toEqual([false, expect.stringContaining('3 of 3 iterations are used')]);
    expect(readdirSync(folder).filter((name) => name.startsWith('cut-'))).toEqual(['cut-1.txt', 'cut-2.txt']);
    const resumed = await ralph(folder, ['resume', '--no-tui', '--max-iterations', '20']);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('cut-'))).toHaveLength(5);
  });
});

test('kill -9 in the midst: a resume takes up each turn that had not ended, and none that had; each task is done once', async () => {
  // The first is quick; those behind it wait to be killed, once.
  const body = toBody(
    '[ "$task" = cut-1 ] || [ -e "$task.half" ] || { echo half > "$task.half"; sleep 60; }; rm -f "$task.half"; echo "$task" >> "$task.txt"',
  );
  await withFolder(toFiles(CONFIG, body), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    // The fourth has the place of the first, which has ended.
    await vi.waitFor(() => expect(listCopies(folder, /half$/).sort()).toEqual(['cut-2.half', 'cut-3.half', 'cut-4.half']), 20_000);
    run.child.kill('SIGKILL');
    await run.done;
    expect(readFileSync(join(folder, 'cut-1.txt'), 'utf8')).toBe('cut-1\n');
    expect((await ralph(folder, ['status'])).stdout.match(/builder/g)?.length).toBeGreaterThanOrEqual(3);
    // The fifth has not begun: what it waits for is put in its place.
    const resumed = start(folder, ['resume', '--no-tui']);
    await vi.waitFor(() => expect(listCopies(folder, /half$/)).toContain('cut-5.half'), 20_000);
    resumed.child.kill('SIGKILL');
    await resumed.done;
    const last = await ralph(folder, ['resume', '--no-tui']);
    expect(last.code, last.stdout + last.stderr).toBe(0);
    for (const task of [1, 2, 3, 4, 5]) expect(readFileSync(join(folder, `cut-${task}.txt`), 'utf8')).toBe(`cut-${task}\n`);
    const ends = readJournal(folder).filter(({ type }) => type === 'iteration-ended');
    expect(ends.filter(({ outcome }) => outcome?.status === 'succeeded')).toHaveLength(7);
    expect(readdirSync(folder).filter((name) => name.endsWith('.half'))).toEqual([]);
  });
});

test('kill -9 while turns that have ended wait for an older one: what they made and published counts, and they are not done again', async () => {
  // The first waits to be killed, once.
  const body = toBody('[ "$task" != cut-1 ] || [ -e half ] || { echo half > half; sleep 60; }; rm -f half; echo "$task" >> "$task.txt"');
  await withFolder(toFiles(CONFIG, body), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    const hasEnded = (turn: string): boolean => existsSync(join(runFolder(folder), 'turns', turn, 'end.json'));
    await vi.waitFor(
      () => expect([hasEnded('3.1'), hasEnded('4.1'), ...listCopies(folder, /^half$/)]).toEqual([true, true, 'half']),
      20_000,
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('cut-'))).toEqual([]);
    run.child.kill('SIGKILL');
    const killed = await run.done;
    const resumed = await ralph(folder, ['resume', '--no-tui']);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    const said = killed.stdout + resumed.stdout;
    // Of several turns of a hat each line says which one it is.
    expect(said).toContain('builder 3  cut-2 has begun');
    expect(['cut-1', 'cut-2', 'cut-3', 'cut-4', 'cut-5'].map((task) => said.split(`${task} has begun`).length - 1)).toEqual([
      2, 1, 1, 1, 1,
    ]);
    for (const task of [1, 2, 3, 4, 5]) expect(readFileSync(join(folder, `cut-${task}.txt`), 'utf8')).toBe(`cut-${task}\n`);
    expect(said.match(/→ task\.done/g)).toHaveLength(5);
  });
});

test('validate says what does nothing, and simulations play it', async () => {
  await withFolder(toFiles(CONFIG.replace('parallel: 3}', 'parallel: 3, takes: all}'), ':'), async (folder) => {
    const checked = await ralph(folder, ['validate']);
    expect(checked.stdout + checked.stderr).toMatch(/ralph\.yml:7:\d+[\s\S]*hat-parallel/);
    const played = await ralph(folder, ['simulate', '--runs', '50']);
    expect([played.code, played.stdout]).toEqual([0, expect.stringMatching(/completed/)]);
  });
});
