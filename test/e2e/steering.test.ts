/** People steer a run from a second terminal: they tell, and answer what agents ask. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { readEvents, readStatus, until } from './run-facts.ts';

const TEAM = `
gates: []
event_loop: {prompt: Build it, max_iterations: 6}
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: [build.done]
  reviewer:
    triggers: [build.done]
    publishes: [LOOP_COMPLETE]
`;

interface Tell {
  readonly text: string;
  readonly seq: number;
  readonly given: { readonly hat: string; readonly iteration: number; readonly call: number | null } | null;
}
interface PeopleFacts {
  readonly tells: readonly Tell[];
  readonly questions: readonly { readonly id: string; readonly answer: { readonly choice: string; readonly by: string } | null }[];
}

const readPeople = async (folder: string): Promise<PeopleFacts> => (await readStatus(folder)) as unknown as PeopleFacts;
const readInputs = (folder: string): readonly { readonly type: string }[] => {
  const [run = ''] = readdirSync(join(folder, '.ralph/runs'));
  return readJsonLines(readFileSync(join(folder, '.ralph/runs', run, 'journal.jsonl'), 'utf8')).map(
    (entry) => (entry as { input: { type: string } }).input,
  );
};
const openQuestions = async (folder: string): Promise<readonly { readonly id: string; readonly text: string }[]> => {
  const { stdout } = await ralph(folder, ['asks', '--format', 'json']);
  return stdout === '' ? [] : (JSON.parse(stdout) as { open: { id: string; text: string }[] }).open;
};

const ASKS = `
case $RALPH_HAT in
  builder) answer=$("$RALPH_BIN" ask "Drop the old table?" --choices yes,no --default no); emit build.done "answer $answer";;
  reviewer) case "$prompt" in *"use the old API"*) echo heard >> heard.txt;; esac; echo LOOP_COMPLETE;;
esac`;

test('an agent asks, a person tells and answers in another terminal, and the run goes on with both', async () => {
  await withPlace(toFiles(TEAM, ASKS), async (folder) => {
    const run = start(folder, ['run', '--format', 'ndjson']);
    await until('the question', async () => (await openQuestions(folder)).length === 1);
    const told = await ralph(folder, ['tell', 'use the old API', '--next']);
    expect(told.stdout).toMatch(/in the journal \(#\d+\); whoever works gets it with the next prompt/);
    const wrong = await ralph(folder, ['answer', 'perhaps']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Choose one of: yes, no')]);
    const answered = await ralph(folder, ['answer', 'yes']);
    expect([answered.code, answered.stdout]).toEqual([0, expect.stringContaining('Answered q1')]);
    expect((await run.done).code).toBe(0);
    const events = await readEvents(folder);
    expect(events.filter(({ topic }) => topic === 'build.done').map(({ payload }) => payload)).toEqual(['answer yes']);
    expect(events.filter(({ topic }) => topic === 'human.guidance').map(({ payload, to }) => [payload, to])).toEqual([
      ['use the old API', ['reviewer']],
    ]);
    expect(readFileSync(join(folder, 'heard.txt'), 'utf8')).toBe('heard\n');
    const { tells, questions } = await readPeople(folder);
    expect(tells).toMatchObject([{ text: 'use the old API', given: { hat: 'reviewer', iteration: 2, call: null } }]);
    expect(questions).toMatchObject([{ id: 'q1', answer: { choice: 'yes', by: 'person' } }]);
  });
});

test('an answer that comes too late says what counts', async () => {
  const body = `"$RALPH_BIN" ask "Go on?" --choices yes,no; while [ ! -e go ]; do sleep 0.05; done; echo LOOP_COMPLETE`;
  await withPlace(toFiles('gates: []\nevent_loop: {prompt: x}\n', body), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await until('the question', async () => (await openQuestions(folder)).length === 1);
    expect((await ralph(folder, ['answer', 'q1', 'yes'])).code).toBe(0);
    const late = await ralph(folder, ['answer', 'q1', 'no']);
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('comes too late: a person answered before, and "yes" counts')]);
    writeFileSync(join(folder, 'go'), '');
    expect((await run.done).code).toBe(0);
  });
});

test('nobody answers: the default counts at the deadline, and the agent is told so', async () => {
  const body = `
"$RALPH_BIN" ask "Which port?" --choices 8080,9090 --default 9090 --deadline 1 > answer.txt 2> said.txt
echo LOOP_COMPLETE`;
  await withPlace(toFiles('gates: []\nevent_loop: {prompt: x}\n', body), async (folder) => {
    expect((await ralph(folder, ['run', '--no-tui'])).code).toBe(0);
    expect(readFileSync(join(folder, 'answer.txt'), 'utf8')).toBe('9090\n');
    expect(readFileSync(join(folder, 'said.txt'), 'utf8')).toContain('Nobody answered');
  });
});

test('with human.ask off nobody is waited for', async () => {
  const body = `"$RALPH_BIN" ask "Which port?" --choices 8080,9090 --default 9090 > answer.txt; echo LOOP_COMPLETE`;
  await withPlace(toFiles('gates: []\nhuman: {ask: off}\nevent_loop: {prompt: x}\n', body), async (folder) => {
    expect((await ralph(folder, ['run', '--no-tui'])).code).toBe(0);
    expect(readFileSync(join(folder, 'answer.txt'), 'utf8')).toBe('9090\n');
    expect(readInputs(folder).map(({ type }) => type)).not.toContain('asked');
  });
});

describe('killed with SIGKILL while an agent waits', () => {
  const WAITS = `
echo x >> starts.txt
answer=$("$RALPH_BIN" ask "Drop the old table?" --choices yes,no --default no)
echo "$answer" >> answers.txt
echo LOOP_COMPLETE`;

  test.each([
    ['the answer comes before the kill', true],
    ['the answer comes before the resume', false],
  ])('asked once, answered once: %s', async (_, isBefore) => {
    await withPlace(
      toFiles('gates: []\nevent_loop: {prompt: x}\n', isBefore ? WAITS.replace('echo "$answer"', 'sleep 3; echo "$answer"') : WAITS),
      async (folder) => {
        const run = start(folder, ['run', '--no-tui']);
        await until('the question', async () => (await openQuestions(folder)).length === 1);
        if (isBefore) await ralph(folder, ['answer', 'yes']);
        run.child.kill('SIGKILL');
        await run.done;
        if (!isBefore) {
          expect((await ralph(folder, ['answer', 'yes'])).stdout).toContain('it counts when the run is resumed');
          const second = await ralph(folder, ['answer', 'no']);
          expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('a person answered before, and "yes" counts')]);
        }
        const told = await ralph(folder, ['tell', 'after the kill']);
        expect(told.stdout).toContain('it is told when it is resumed');
        expect((await ralph(folder, ['resume', '--no-tui'])).code).toBe(0);
        expect(readFileSync(join(folder, 'answers.txt'), 'utf8')).toBe('yes\n');
        expect(readFileSync(join(folder, 'starts.txt'), 'utf8')).toBe('x\nx\n');
        const inputs = readInputs(folder).map(({ type }) => type);
        expect(inputs.filter((type) => type === 'answered')).toHaveLength(1);
        expect(inputs.filter((type) => type === 'told')).toHaveLength(1);
        const { tells, questions } = await readPeople(folder);
        expect(questions).toMatchObject([{ id: 'q1', answer: { choice: 'yes', by: 'person' } }]);
        expect(tells).toMatchObject([{ text: 'after the kill', given: { iteration: 2, call: null } }]);
      },
    );
  });
});

test('an agent neither tells nor answers: only a person may', async () => {
  const body = `
("$RALPH_BIN" ask "May I?" --choices yes,no --default no --deadline 20 > answer.txt) &
i=0; while ! "$RALPH_BIN" asks | grep -q q1 && [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done
"$RALPH_BIN" answer q1 yes > forged.txt 2>&1; "$RALPH_BIN" tell "do more" >> forged.txt 2>&1
printf '{"kind":"answer","id":"f","question":"q1","choice":"yes","sender":{"pid":1,"user":"root","how":"terminal"}}\\n' >> .agent/steering.jsonl
wait
echo LOOP_COMPLETE`;
  await withPlace(toFiles('gates: []\nevent_loop: {prompt: x}\n', body), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await until('the forger is refused', () => {
      try {
        return readFileSync(join(folder, 'forged.txt'), 'utf8').split('Only a person may do this').length === 3;
      } catch {
        return false;
      }
    });
    expect((await ralph(folder, ['answer', 'q1', 'no'])).code).toBe(0);
    expect((await run.done).code).toBe(0);
    expect(readFileSync(join(folder, 'answer.txt'), 'utf8')).toBe('no\n');
  });
});

test('what cannot be told, asked or answered is said, with the way to do it', async () => {
  await withPlace(toFiles('gates: []\nevent_loop: {prompt: x}\n', 'echo LOOP_COMPLETE'), async (folder) => {
    await ralph(folder, ['run', '--no-tui']);
    const says = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      const { code, stdout, stderr } = await ralph(folder, args);
      return [code, stdout + stderr];
    };
    expect(await says('tell', 'x')).toEqual([1, expect.stringContaining('is complete; nobody hears it')]);
    expect(await says('asks')).toEqual([0, expect.stringContaining('asks nothing')]);
    expect(await says('answer', 'yes')).toEqual([1, expect.stringContaining('is complete')]);
    expect(await says('ask', 'x')).toEqual([2, expect.stringContaining('this is no turn of a run')]);
    expect(await says('tell', 'a', 'b', 'c')).toEqual([2, expect.stringContaining('quotes')]);
  });
});

describe('the native agent', () => {
  const NATIVE = {
    'ralph.yml': `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Write the files}
gates: []
`,
    'model.yml': `
hats:
  ralph:
    - steps:
        - calls: [{tool: bash, args: {command: "touch working; while [ ! -e go ]; do sleep 0.05; done"}}]
        - calls: [{tool: bash, args: {command: "touch second; while [ ! -e end ]; do sleep 0.05; done"}}]
        - text: LOOP_COMPLETE
`,
  };
  const exists = (folder: string, name: string): boolean => readdirSync(folder).includes(name);
  /** How often each turn's conversation holds a sentence. */
  const countInSessions = (folder: string, sentence: string): number => {
    const [run = ''] = readdirSync(join(folder, '.ralph/runs'));
    const turns = join(folder, '.ralph/runs', run, 'turns');
    return readdirSync(turns)
      .map((turn) => readFileSync(join(turns, turn, 'session.jsonl'), 'utf8').split(sentence).length - 1)
      .reduce((sum, count) => sum + count, 0);
  };

  test('is told between two of its steps, once, and the receipt says where', async () => {
    await withPlace(NATIVE, async (folder) => {
      const run = start(folder, ['run', '--no-tui']);
      await until('the first step', () => exists(folder, 'working'));
      const telling = start(folder, ['tell', 'use the old API']);
      await until('it is in the journal', () => readInputs(folder).some(({ type }) => type === 'told'));
      writeFileSync(join(folder, 'go'), '');
      expect((await telling.done).stdout).toMatch(/in the journal \(#\d+\), given to ralph in turn 1 after 1 call of tools/);
      writeFileSync(join(folder, 'end'), '');
      expect((await run.done).code).toBe(0);
      expect(countInSessions(folder, 'use the old API')).toBe(1);
      expect((await readPeople(folder)).tells).toMatchObject([{ given: { hat: 'ralph', iteration: 1, call: 1 } }]);
      expect((await readStatus(folder)).turns).toHaveLength(1);
    });
  });

  test('killed with SIGKILL when it has been told: its conversation goes on with it, and it is not told again', async () => {
    await withPlace(NATIVE, async (folder) => {
      const run = start(folder, ['run', '--no-tui']);
      await until('the first step', () => exists(folder, 'working'));
      await Promise.all([
        ralph(folder, ['tell', 'use the old API']),
        until('it is in the journal', () => readInputs(folder).some(({ type }) => type === 'told')).then(() =>
          writeFileSync(join(folder, 'go'), ''),
        ),
      ]);
      await until('the second step', () => exists(folder, 'second'));
      run.child.kill('SIGKILL');
      await run.done;
      writeFileSync(join(folder, 'end'), '');
      expect((await ralph(folder, ['resume', '--no-tui'])).code).toBe(0);
      expect(countInSessions(folder, 'use the old API')).toBe(1);
      expect((await readEvents(folder)).filter(({ topic }) => topic === 'human.guidance')).toEqual([]);
    });
  });
});

test('an agent that cannot be told is interrupted on demand, and begins again with what was said', async () => {
  const body = `
case "$prompt" in *"that is the wrong file"*) echo heard > heard.txt; echo LOOP_COMPLETE; exit;; esac
touch working; sleep 30`;
  await withPlace(toFiles('gates: []\nevent_loop: {prompt: x}\n', body), async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await until('the agent works', () => readdirSync(folder).includes('working'));
    expect((await ralph(folder, ['tell', 'that is the wrong file', '--interrupt'])).code).toBe(0);
    expect((await run.done).code).toBe(0);
    expect(readdirSync(folder)).toContain('heard.txt');
    expect((await readStatus(folder)).turns.map(({ status }) => status)).toEqual(['interrupted', 'succeeded']);
  });
});

test('what was told to a run that a limit had stopped is in the first prompt of its resume', async () => {
  const body = `printf '%s' "$prompt" > "prompt-$RALPH_ITERATION.txt"; case "$prompt" in *"use the old API"*) echo LOOP_COMPLETE;; esac`;
  await withPlace(toFiles('gates: []\nevent_loop: {prompt: x, max_iterations: 1}\n', body), async (folder) => {
    expect((await ralph(folder, ['run', '--no-tui'])).code).not.toBe(0);
    expect((await ralph(folder, ['tell', 'use the old API'])).code).toBe(0);
    expect((await ralph(folder, ['resume', '--no-tui', '--max-iterations', '2'])).code).toBe(0);
    expect(readFileSync(join(folder, 'prompt-2.txt'), 'utf8')).toContain('use the old API');
    expect((await readPeople(folder)).tells).toMatchObject([{ given: { iteration: 2, call: null } }]);
  });
});
