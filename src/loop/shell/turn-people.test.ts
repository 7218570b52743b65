import { expect, it } from 'vitest';
import type { Tell } from '../../core/events/event.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import type { PersonQuestion, SpokenWords } from '../../ports/people.ts';
import type { ProgramQuestion } from '../../ports/steering.ts';
import type { TurnContext } from './loop-ports.ts';
import { createTurnPeople } from './turn-people.ts';

const ORDER = { type: 'iteration-start', iteration: 3, attempt: 1, hat: 'builder' } as IterationStart;
const QUESTION: PersonQuestion = { key: 'k', kind: 'question', text: 'Drop it?', choices: ['yes', 'no'], default: 'no' };
const TELL: Tell = { id: 'c1', text: 'use the old API', to: null, when: 'now', sender: { pid: 1, user: 'ann', how: 'terminal' } };

interface Place {
  /** What the loop knows already. */
  readonly questions?: readonly object[];
  /** Answers cannot be written. */
  readonly isFull?: boolean;
}

function open(asking: Partial<TurnContext['settings']['asking']> = {}, isAttended = false, { questions = [], isFull = false }: Place = {}) {
  const posted: Input[] = [];
  const answers: (readonly [string, string])[] = [];
  let take: (question: ProgramQuestion) => void = () => undefined;
  let isWatched = false;
  const context = {
    ports: {
      clock: { now: () => 1000 },
      isAttended: () => isAttended,
      asks: {
        watch: (taker: typeof take) => {
          take = taker;
          isWatched = true;
          return () => {
            isWatched = false;
          };
        },
        answer: (ask: string, { choice }: { choice: string }) => {
          if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          answers.push([ask, choice]);
        },
      },
    },
    settings: { asking: { isOn: true, deadlineMs: 60_000, ...asking } },
    loop: { post: (input: Input) => posted.push(input), state: () => ({ questions }) },
  } as unknown as TurnContext;
  const people = createTurnPeople(context, ORDER);
  const close = (key: string, choice: string, by: 'person' | 'deadline' = 'person') =>
    people.settle({ type: 'question-close', id: 'q1', key, iteration: 3, attempt: 1, choice, by });
  return { people, posted, answers, close, ask: (question: ProgramQuestion) => take(question), isWatched: () => isWatched };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('a question becomes an input, stops the clocks of the turn, and is answered when the loop settles it', async () => {
  const { people, posted, close } = open();
  const [one, other] = [people.people.ask(QUESTION), people.people.ask(QUESTION)];
  expect([posted, people.hold.isHeld()]).toEqual([
    [
      {
        type: 'asked',
        at: 1000,
        iteration: 3,
        attempt: 1,
        key: 'k',
        purpose: 'question',
        text: 'Drop it?',
        choices: ['yes', 'no'],
        default: 'no',
        dueAt: 61_000,
      },
    ],
    true,
  ]);
  close('k', 'yes');
  expect([await one, await other, people.hold.isHeld()]).toEqual([{ choice: 'yes', by: 'person' }, { choice: 'yes', by: 'person' }, false]);
});

it('who waits when the turn ends gets the default, and nobody is heard behind it', async () => {
  const { people, posted, isWatched } = open();
  const asked = people.people.ask(QUESTION);
  people.end();
  expect([await asked, await people.people.ask({ ...QUESTION, key: 'late' }), posted.length, isWatched()]).toEqual([
    { choice: 'no', by: 'withdrawn' },
    { choice: 'no', by: 'withdrawn' },
    1,
    false,
  ]);
});

it('nobody is asked where people are off, where a default is no choice, and about a permission that nobody sees, unless it is patient', async () => {
  const off = open({ isOn: false });
  expect(await off.people.people.ask(QUESTION)).toEqual({ choice: 'no', by: 'policy' });
  const on = open();
  expect(await on.people.people.ask({ ...QUESTION, default: 'perhaps' })).toMatchObject({ by: 'policy' });
  const permission: PersonQuestion = { ...QUESTION, kind: 'permission', choices: ['once', 'deny'], default: 'deny' };
  expect(await on.people.people.ask(permission)).toEqual({ choice: 'deny', by: 'policy' });
  expect([off.posted, on.posted]).toEqual([[], []]);
  void on.people.people.ask({ ...permission, isPatient: true });
  const seen = open({}, true);
  void seen.people.people.ask(permission);
  expect([on.posted.length, seen.posted.length]).toEqual([1, 1]);
});

it('what was asked before a crash is asked again although nobody sees the run; what this turn has had is not', async () => {
  const permission: PersonQuestion = { ...QUESTION, kind: 'permission', choices: ['once', 'deny'], default: 'deny' };
  const known = { hat: ORDER.hat, key: permission.key };
  const resumed = open({}, false, { questions: [{ ...known, iteration: 0, attempt: 0 }] });
  void resumed.people.people.ask(permission);
  expect(resumed.posted).toHaveLength(1);
  const had = open({}, false, { questions: [{ ...known, iteration: ORDER.iteration, attempt: ORDER.attempt }] });
  expect(await had.people.people.ask(permission)).toMatchObject({ by: 'policy' });
});

it('no deadline is longer than a day, and one turn asks no more than it may', async () => {
  const { people, posted, close } = open();
  for (let number = 1; number <= 500; number += 1) {
    void people.people.ask({ ...QUESTION, key: `k${number}`, deadlineMs: 9e15 });
    close(`k${number}`, 'no');
  }
  expect([posted.length, posted.every((input) => input.type === 'asked' && input.dueAt === 1000 + 86_400_000)]).toEqual([500, true]);
  expect(await people.people.ask({ ...QUESTION, key: 'one more' })).toEqual({ choice: 'no', by: 'policy' });
});

it('an answer that cannot be written is a fault of the storage, and no crash', async () => {
  const { posted, close, ask } = open({}, false, { isFull: true });
  ask({ ask: 'a1', text: 'Go on?', choices: ['yes', 'no'], default: 'no' });
  close((posted[0] as { key: string }).key, 'yes');
  await settle();
  expect(posted.at(-1)).toMatchObject({ type: 'environment-failed', what: 'storage', message: expect.stringContaining('ENOSPC') });
});

it('what a program asks again after its answer is another question; a second turn counts from the beginning', async () => {
  const question: ProgramQuestion = { ask: 'a1', text: 'Go on?', choices: ['yes', 'no'], default: 'no' };
  const play = async () => {
    const { posted, answers, close, ask } = open();
    const keyOf = (index: number): string => (posted[index] as { key: string }).key;
    ask(question);
    close(keyOf(0), 'yes');
    await settle();
    ask({ ...question, ask: 'a2' });
    close(keyOf(1), 'no');
    await settle();
    return { keys: [keyOf(0), keyOf(1)], answers };
  };
  const [first, second] = [await play(), await play()];
  expect(first.answers).toEqual([
    ['a1', 'yes'],
    ['a2', 'no'],
  ]);
  expect(first.keys[0]).not.toBe(first.keys[1]);
  expect(second.keys).toEqual(first.keys);
});

it('what a person tells is handed over once the agent is there, and counts when the agent has it, once', () => {
  const { people, posted } = open();
  const heard: SpokenWords[] = [];
  people.tell(TELL);
  people.begin?.({ tell: (words: SpokenWords) => void heard.push(words) } as never);
  expect(heard).toEqual([{ id: 'c1', text: 'use the old API', by: 'ann' }]);
  people.take({ type: 'injected', ids: ['hook-1'], call: 1 });
  expect(posted).toEqual([]);
  for (let time = 0; time < 2; time += 1) people.take({ type: 'injected', ids: ['c1', 'hook-1'], call: 12, isKept: true });
  expect(posted).toEqual([{ type: 'tell-given', at: 1000, iteration: 3, attempt: 1, ids: ['c1'], call: 12, isKept: true }]);
});
