/** The end of Ralph while hooks are asked: the run that goes on comes to its end, and what was denied stays denied. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HookedRun, readRun, shell, toHookedFiles, toOutcome, write } from './hooked-run.ts';
import { findProcesses, withPlace } from './processes.ts';
import { type Finished, ralph, type Started, start } from './ralph.ts';
import { readEvents, readStatus, toRoutes, until } from './run-facts.ts';

const RUN = ['run', '--no-tui'];
const RESUME = ['resume', '--no-tui'];
/** What the model is told of a call that had begun and may not be made twice. */
const UNKNOWN = 'whether it took effect is not known';
/** What a hook does that is to be killed: children of it are in other sessions. */
const HANG = `touch hangs; sleep 300 & setsid sh -c 'sleep 300 & sleep 300' & wait`;

const exists = (folder: string, name: string): boolean => existsSync(join(folder, name));
const countLines = (folder: string, name: string): number => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length;

/** What people said, as `ralph status` tells it. */
interface PeopleFacts {
  readonly tells: readonly { readonly text: string; readonly given: { readonly hat: string } | null }[];
  readonly questions: readonly { readonly id: string; readonly answer: { readonly choice: string; readonly by: string } | null }[];
}
const readPeople = async (folder: string): Promise<PeopleFacts> => (await readStatus(folder)) as unknown as PeopleFacts;

/** What all turns of the only run have written, in their order. */
function readTurns(folder: string): readonly Pick<HookedRun, 'calls' | 'session'>[] {
  const runs = join(folder, '.ralph/runs');
  const turns = readdirSync(join(runs, readdirSync(runs)[0] ?? '', 'turns'));
  return turns.sort().map((turn) => readRun(folder, turn));
}
const readOutcomes = (folder: string): readonly string[] => readTurns(folder).flatMap(({ calls }) => calls.map(toOutcome));

async function kill({ child, done }: Started): Promise<void> {
  child.kill('SIGKILL');
  await done;
}

/** The run is complete, by one event, and nothing of it is left. */
async function expectEnd(folder: string, { code, stdout, stderr }: Finished): Promise<void> {
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('builder declared the work complete')]);
  expect(findProcesses(folder)).toEqual([]);
  expect(toRoutes(await readEvents(folder)).filter((route) => route.includes('task.complete'))).toHaveLength(1);
}

describe.concurrent('a run that is killed', () => {
  test.each([
    ['that is asked once', false],
    ['that stays', true],
  ])(
    'while it waits for a hook %s ends it, asks anew, keeps the denials of before, and is told once what people said',
    async (_, stays) => {
      // Asked about one file it denies, asked about the other it hangs the first time.
      const body = `
case "$event" in
  *'"path":"denied.txt"'*) echo x >> denied.log; echo '{"decision":"deny"}';;
  *'"path":"slow.txt"'*) if [ -e hangs ]; then echo '{"decision":"deny"}'; else ${HANG}; fi;;
  *) echo '{}';;
esac`;
      const files = { 'guard.sh': stays ? `while read -r event; do ${body}\ndone\n` : `event=$(cat)${body}\n` };
      const hooks = [{ name: 'guard', matcher: 'Write', handler: 'guard.sh', keep_alive: stays }];
      const answers = [[write('denied.txt')], [write('slow.txt')], [write('slow.txt', 'y'), write('denied.txt', 'y'), write('free.txt')]];
      await withPlace(toHookedFiles({ hooks, answers, files }), async (folder) => {
        const run = start(folder, RUN);
        await until('the hook hangs', () => exists(folder, 'hangs'));
        // It is in the journal by then; the agent has no step before the kill in which it could be told.
        expect((await ralph(folder, ['tell', 'use the old API', '--next'])).stdout).toContain('in the journal');
        await kill(run);
        await expectEnd(folder, await ralph(folder, RESUME));
        // A file may be written again: that call is asked about anew. What was denied before the kill is not.
        expect(readOutcomes(folder)).toEqual(['denied', 'denied', 'denied', 'denied', 'done', 'done']);
        expect(['denied.txt', 'slow.txt', 'free.txt'].filter((name) => exists(folder, name))).toEqual(['free.txt']);
        expect(countLines(folder, 'denied.log')).toBe(2);
        expect((await readPeople(folder)).tells).toMatchObject([{ text: 'use the old API', given: { hat: 'builder' } }]);
        expect(readTurns(folder).reduce((count, { session }) => count + session.split('use the old API').length - 1, 0)).toBe(1);
      });
    },
  );

  test('while it waits for a hook about a command does not make that call, and asks about the next one', async () => {
    const hooks = [{ name: 'guard', matcher: 'Bash', command: `echo x >> asked.log; if [ -e hangs ]; then exit 2; else ${HANG}; fi` }];
    const answers = [[shell('touch first')], [shell('touch second')]];
    await withPlace(toHookedFiles({ hooks, answers, given: { 1: UNKNOWN, 2: 'A hook denied' } }), async (folder) => {
      const run = start(folder, RUN);
      await until('the hook hangs', () => exists(folder, 'hangs'));
      await kill(run);
      await expectEnd(folder, await ralph(folder, RESUME));
      expect(readOutcomes(folder)).toEqual(['denied', 'done']);
      expect(['first', 'second'].filter((name) => exists(folder, name))).toEqual([]);
      expect(countLines(folder, 'asked.log')).toBe(2);
    });
  });

  test('while a person is asked about a call, because a hook said so, asks once and does not make what the person denies', async () => {
    const hooks = [
      { name: 'asks', path: 'asked.txt', command: `echo '{"decision":"ask","reason":"sure?"}'` },
      { name: 'denies', path: 'denied.txt', command: 'echo x >> denied.log; exit 2' },
    ];
    const answers = [[write('denied.txt')], [write('asked.txt')]];
    await withPlace(toHookedFiles({ hooks, answers, config: { on_ask: 'wait' } }), async (folder) => {
      const run = start(folder, RUN);
      const listAsked = async (): Promise<string> => (await ralph(folder, ['asks'])).stdout;
      await until('the question', async () => (await listAsked()).includes('q1'));
      await kill(run);
      const resumed = start(folder, RESUME);
      await resumed.says('write_file asked.txt');
      const answered = await ralph(folder, ['answer', 'q1', 'deny']);
      expect([answered.code, answered.stdout]).toEqual([0, expect.stringContaining('Answered q1')]);
      await expectEnd(folder, await resumed.done);
      expect(readOutcomes(folder)).toEqual(['denied', expect.stringContaining('A person denied this call: nothing was done.'), 'done']);
      expect(['asked.txt', 'denied.txt'].filter((name) => exists(folder, name))).toEqual([]);
      expect(countLines(folder, 'denied.log')).toBe(1);
      expect((await readPeople(folder)).questions).toMatchObject([{ id: 'q1', answer: { choice: 'deny', by: 'person' } }]);
    });
  });

  test('with Ctrl+C while a hook that ignores every signal is asked ends it, makes no call, and asks anew when it goes on', async () => {
    const guard = `trap '' INT TERM HUP; if [ -e hangs ]; then exit 2; else ${HANG}; fi`;
    const hooks = [{ name: 'guard', path: 'a.txt', command: guard }];
    await withPlace(toHookedFiles({ hooks, answers: [[write('a.txt')], [write('free.txt')]] }), async (folder) => {
      const run = start(folder, RUN);
      await until('the hook hangs', () => exists(folder, 'hangs'));
      run.child.kill('SIGINT');
      const { code } = await run.done;
      expect([code, findProcesses(folder)]).toEqual([130, []]);
      await expectEnd(folder, await ralph(folder, RESUME));
      expect(readOutcomes(folder)).toEqual(['denied', 'done', 'done']);
      expect(['a.txt', 'free.txt'].filter((name) => exists(folder, name))).toEqual(['free.txt']);
    });
  });

  test('by a function of a hook, at once or later, leaves no process and makes no call, and goes on behind what was denied', async () => {
    const guard = `
const deny = { decision: 'deny' };
export const ends = () => process.exit(2);
export const throws = () => (setTimeout(() => { throw new Error('later'); }, 10), deny);
export const rejects = () => (void Promise.reject(new Error('nobody waits')), deny);
`;
    const hooks = ['ends', 'throws', 'rejects'].map((name) => ({ matcher: 'Write', path: `${name}.txt`, handler: `guard.mjs#${name}` }));
    for (const hook of hooks) {
      const answers = [[write(hook.path), shell('sleep 300')], [write('other.txt')]];
      await withPlace(toHookedFiles({ hooks: [hook], answers, files: { 'guard.mjs': guard } }), async (folder) => {
        const { code } = await ralph(folder, RUN);
        expect([hook.path, code === 0]).toEqual([hook.path, false]);
        expect(findProcesses(folder)).toEqual([]);
        expect(exists(folder, hook.path)).toBe(false);
        // The others would be asked again about the call that they ended Ralph over.
        if (hook.path !== 'throws.txt') return;
        await expectEnd(folder, await ralph(folder, RESUME));
        expect(readOutcomes(folder)).toEqual(['denied', 'done', 'done']);
        expect(['throws.txt', 'other.txt'].filter((name) => exists(folder, name))).toEqual(['other.txt']);
      });
    }
  });

  test('again and again behind a denial does not ask about that call any more, and does not make it', async () => {
    const hooks = [{ name: 'guard', matcher: 'Write', command: 'echo x >> asked.log; exit 2' }];
    const wait = (name: string) => shell(`touch ${name}; sleep 300`);
    const answers = [[write('a.txt'), wait('first')], [wait('second')], [write('a.txt')]];
    await withPlace(toHookedFiles({ hooks, answers, given: { 1: UNKNOWN, 2: UNKNOWN, 3: 'A hook denied' } }), async (folder) => {
      for (const [args, name] of [
        [RUN, 'first'],
        [RESUME, 'second'],
      ] as const) {
        const run = start(folder, args);
        await until('the command', () => exists(folder, name));
        await kill(run);
      }
      await expectEnd(folder, await ralph(folder, RESUME));
      expect(readOutcomes(folder)).toEqual(['denied', 'denied', 'done']);
      expect(countLines(folder, 'asked.log')).toBe(2);
      expect(exists(folder, 'a.txt')).toBe(false);
    });
  });
});
