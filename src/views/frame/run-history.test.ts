import { expect, it } from 'vitest';
import type { RunRecord } from '../../core/run/run-record.ts';
import { makeSpec } from '../../core/spec-fixtures.ts';
import { createRunViewFold } from '../fold/fold-run-view.ts';
import { createRunHistory } from './run-history.ts';

const TURNS = 250;

/** A run in which each input adds to lists that a view has: notices, checkpoints, events that wait. */
function* makeSteps(): Generator<readonly RunRecord[]> {
  const start = { type: 'run-started', at: 0, runId: 'r', spec: makeSpec(), flags: [], inboxOffset: 0 } as const;
  yield [{ kind: 'input', seq: 1, input: start }];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const seq = turn + 1;
    const stamp = { kind: 'effect', seq, at: turn } as const;
    const event = { id: `e${turn}`, topic: 'x', payload: '', source: 'ralph', ts: turn, iteration: 0 };
    yield [
      { kind: 'input', seq, input: { type: 'checkpoint-finished', at: turn, iteration: turn, commit: null, leftOut: [], note: '' } },
      { ...stamp, effect: { type: 'notice', level: 'info', code: 'x', text: `notice ${turn}` } },
      { ...stamp, effect: { type: 'event-publish', event, to: turn % 3 === 0 ? ['ralph'] : [], how: 'undelivered' } },
    ];
  }
  const seq = TURNS + 2;
  yield [
    { kind: 'input', seq, input: { type: 'stop-requested', at: seq, how: 'kill', by: 'test' } },
    { kind: 'effect', seq, at: seq, effect: { type: 'run-end', reason: 'completed', detail: '' } },
  ];
}

it('a past moment has of lists that grow what they had then, also where only the last of them is shown', () => {
  const history = createRunHistory();
  const fold = createRunViewFold();
  const views = [...makeSteps()].map((records) => {
    for (const record of records) {
      history.take(record);
      fold.take(record);
    }
    return fold.view();
  });
  expect(views.at(-1)).toMatchObject({ status: 'ended', pending: [], checkpoints: { length: TURNS } });
  for (const [index, view] of views.entries()) expect(history.view(index + 1)).toEqual(view);
  expect(
    history
      .view(220)
      .notices.map(({ text }) => text)
      .slice(0, 1),
  ).toEqual(['notice 20']);
  expect(history.view(0)).toEqual(createRunViewFold().view());
});

it('what somebody has looked at stays as it was', () => {
  const history = createRunHistory();
  const steps = [...makeSteps()];
  for (const record of steps.slice(0, 10).flat()) history.take(record);
  const seen = history.view(5);
  const copy = structuredClone(seen);
  for (const record of steps.slice(10).flat()) history.take(record);
  expect(seen).toEqual(copy);
  expect(history.view(5)).toEqual(copy);
});
