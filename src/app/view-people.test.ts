import { expect, it } from 'vitest';
import type { Effect } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import { makeSpec } from '../core/spec-fixtures.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import type { RunView } from '../views/fold/run-view.ts';

const SENDER = { pid: 1, user: 'ann', how: 'terminal' } as const;
type Happening = Input extends infer One ? (One extends Input ? Omit<One, 'at'> : never) : never;

/** What a view shows of inputs that the loop decided on, in order. */
function view(...happenings: readonly Happening[]): RunView {
  const fold = createJournalFold();
  const shown = createRunViewFold();
  const begin: Happening = { type: 'run-started', runId: 'run-1', spec: makeSpec({}), flags: [], inboxOffset: 0 };
  [begin, ...happenings].forEach((happening, index) => {
    const input = { ...happening, at: 1000 + index } as Input;
    const effects: readonly Effect[] = fold.take({ seq: index + 1, input });
    const records: readonly RunRecord[] = [
      { kind: 'input', seq: index + 1, input },
      ...effects.map((effect) => ({ kind: 'effect' as const, seq: index + 1, at: input.at, effect })),
    ];
    for (const record of records) shown.take(record);
  });
  return shown.view();
}

const told = (id: string): Happening => ({ type: 'told', id, text: 'old API', to: null, when: 'now', sender: SENDER, steeringOffset: 1 });
const ended = (status: 'succeeded' | 'interrupted'): Happening => ({
  ...{ type: 'iteration-ended', iteration: 1, attempt: 1, outcome: { status }, exitCode: 0, durationMs: 1, producedOutput: true },
  ...{ usage: { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null }, sessionId: null },
  ...{ finalText: '', toolCalls: 1, treeChanged: true, leftovers: 0, signals: [], problems: [], inboxOffset: 0 },
});

it('a receipt has three steps: in the journal, waiting, given in the midst of a turn', () => {
  expect(view(told('c1')).tells).toMatchObject([{ id: 'c1', seq: 2, given: null }]);
  const given = view(told('c1'), { type: 'tell-given', iteration: 1, attempt: 1, ids: ['c1'], call: 12, isKept: false }).tells;
  expect(given).toMatchObject([{ given: { hat: 'ralph', iteration: 1, attempt: 1, call: 12 } }]);
});

it('or given with the next prompt, and again where its turn came to nothing', () => {
  expect(view(told('c1'), ended('succeeded')).tells).toMatchObject([{ given: { iteration: 2, call: null } }]);
  const again = view(
    told('c1'),
    { type: 'tell-given', iteration: 1, attempt: 1, ids: ['c1'], call: 1, isKept: false },
    ended('interrupted'),
  );
  expect(again.tells).toMatchObject([{ given: { iteration: 2, call: null } }]);
});

it('a question that is open stays, however many are asked and settled after it', () => {
  const asked = (key: string): Happening => ({
    ...{ type: 'asked', iteration: 1, attempt: 1, key, purpose: 'question', text: 'Drop it?' },
    ...{ choices: ['yes', 'no'], default: 'no', dueAt: 90_000 },
  });
  const later = Array.from({ length: 120 }, (_, index): readonly Happening[] => [
    asked(`k${index}`),
    { type: 'answered', id: `a${index}`, question: `q${index + 2}`, choice: 'yes', sender: SENDER, steeringOffset: index + 1 },
  ]).flat();
  const { questions } = view(asked('first'), ...later);
  expect(questions).toHaveLength(100);
  expect(questions.filter(({ answer }) => answer === null).map(({ id }) => id)).toEqual(['q1']);
});

it('the same command is shown once', () => {
  expect(view(told('c1'), told('c1')).tells).toHaveLength(1);
});

it('a question is open until somebody answers, the deadline passes or its turn is over, and says who answered', () => {
  const asked: Happening = {
    ...{ type: 'asked', iteration: 1, attempt: 1, key: 'k', purpose: 'question', text: 'Drop it?' },
    ...{ choices: ['yes', 'no'], default: 'no', dueAt: 9000 },
  };
  const answered: Happening = { type: 'answered', id: 'a1', question: 'q1', choice: 'yes', sender: SENDER, steeringOffset: 2 };
  expect(view(asked).questions).toMatchObject([{ id: 'q1', hat: 'ralph', answer: null }]);
  expect(view(asked, answered).questions).toMatchObject([{ answer: { choice: 'yes', by: 'person' }, sender: SENDER }]);
  expect(view(asked, ended('succeeded')).questions).toMatchObject([{ answer: { choice: 'no', by: 'withdrawn' } }]);
});

it('a question that is open stays, however many come behind it', () => {
  const asked = (key: string): Happening => ({
    ...{ type: 'asked', iteration: 1, attempt: 1, key, purpose: 'question', text: 'Drop it?' },
    ...{ choices: ['yes', 'no'], default: 'no', dueAt: 9_000_000 },
  });
  const later = Array.from({ length: 120 }, (_, index): readonly Happening[] => [
    asked(`k${index}`),
    { type: 'answered', id: `a${index}`, question: `q${index + 2}`, choice: 'no', sender: SENDER, steeringOffset: index },
  ]);
  const { questions } = view(asked('first'), ...later.flat());
  expect([questions.length, questions.filter(({ answer }) => answer === null).map(({ id }) => id)]).toEqual([100, ['q1']]);
});
