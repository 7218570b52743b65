import { expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { LONG_ANSWER, makePanelRecords, SAMPLE_MOVES } from '../../core/run/panel-fixtures.ts';
import type { PanelMove } from '../../core/run/panel-state.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { foldRunView } from './fold-run-view.ts';
import type { PanelView } from './panel-view.ts';

function panelOf(records: readonly RunRecord[]): PanelView {
  const panel = foldRunView(records).turns.at(-1)?.panel ?? null;
  if (panel === null) throw new Error('no panel');
  return panel;
}

const wordsAfter = (moves: readonly PanelMove[]): readonly string[] => panelOf(makePanelRecords(moves)).agents.map(({ status }) => status);

it('shows a panel from its beginning to its end, with the ids that people know', () => {
  const panel = panelOf(makePanelRecords());
  expect(panel.agents.map(({ id, number, backend, status, round, failures }) => [id, number, backend, status, round, failures])).toEqual([
    ['anna', 2, 'claude', 'voted', 2, 0],
    ['ben', 3, 'codex', 'voted', 2, 0],
    ['carl', 1, 'gemini', 'voted', 3, 1],
  ]);
  expect(foldRunView(makePanelRecords()).hats).toMatchObject([{ id: 'analyst', agents: ['anna', 'ben', 'carl'] }]);
  expect(panel.agents[2]?.usage).toMatchObject({ inputTokens: 3600, outputTokens: 900, costUsd: 0.75 });
  expect(panel.outcome).toMatchObject({ kind: 'won', agent: 0, revision: 1, how: 'votes', votes: 2, allVotes: 3, topic: 'analysis.done' });
});

it('keeps of an answer its beginning and its length, and of reasons what a terminal may get', () => {
  const panel = panelOf(makePanelRecords());
  expect(panel.answers.map(({ agent, revision, length, topic }) => [agent, revision, length, topic])).toEqual([
    [0, 1, LONG_ANSWER.length, 'analysis.done'],
    [1, 1, 16, null],
  ]);
  expect(panel.answers[0]?.excerpt).toHaveLength(300);
  expect(JSON.stringify(panel).length).toBeLessThan(8000);
  expect(panel.votes.map(({ agent, target, reason, counts }) => [agent, target, reason, counts])).toEqual([
    [2, 0, 'Short and clear.', true],
    [0, 0, 'Mine is measured.', true],
    [1, 1, 'Mine is simple.', true],
  ]);
});

it('says who was told of whose answer while it worked, what was refused, and how rounds ended', () => {
  const panel = panelOf(makePanelRecords());
  expect(panel.updates).toMatchObject([{ agent: 1, round: 1, answers: [{ agent: 0, revision: 1 }] }]);
  expect(panel.remarks).toMatchObject([{ agent: 2, isAccepted: false, text: 'There is no answer of agent9. There are: agent2, agent3.' }]);
  expect(panel.rounds.map(({ agent, round, task, shown, end }) => [agent, round, task, shown, end?.outcome])).toEqual([
    [0, 1, 'answer', 0, 'done'],
    [1, 1, 'answer', 0, 'done'],
    [2, 1, 'answer', 0, 'stopped'],
    [2, 2, 'answer', 2, 'failed'],
    [2, 3, 'answer', 2, 'done'],
    [0, 2, 'vote', 2, 'done'],
    [1, 2, 'vote', 2, 'done'],
  ]);
});

it('says at each moment what an agent does', () => {
  expect(wordsAfter([])).toEqual(['waiting', 'waiting', 'waiting']);
  expect(wordsAfter(SAMPLE_MOVES.slice(0, 1))).toEqual(['working', 'working', 'working']);
  expect(wordsAfter(SAMPLE_MOVES.slice(0, 3))).toEqual(['answered', 'working', 'working']);
  expect(wordsAfter(SAMPLE_MOVES.slice(0, 5))).toEqual(['answered', 'answered', 'restarting']);
  expect(wordsAfter(SAMPLE_MOVES.slice(0, 10))).toEqual(['answered', 'answered', 'voted']);
  const gone: readonly PanelMove[] = [...SAMPLE_MOVES.slice(0, 6), { kind: 'time-up' }];
  expect(wordsAfter(gone)).toEqual(['abstained', 'abstained', 'working']);
});

it('a vote does not count any more once an answer came that it did not know of', () => {
  const panel = panelOf(
    makePanelRecords([
      ...SAMPLE_MOVES.slice(0, 3),
      { kind: 'update-given', agent: 1, round: 1, update: '1.1.1' },
      { kind: 'vote-given', agent: 1, round: 1, call: 'v', target: 'agent2', reason: 'It is good.' },
      { kind: 'answer-given', agent: 2, round: 1, call: 'a', content: 'Another one.', canonical: 'Another one.' },
    ]),
  );
  expect(panel.votes).toMatchObject([{ agent: 1, target: 0, counts: false }]);
});

it('of a panel that failed says why', () => {
  const failed = (agent: number): PanelMove => ({
    kind: 'round-ended',
    agent,
    round: 1,
    outcome: 'failed',
    failure: { class: 'auth', message: 'no key' },
    usage: UNKNOWN_USAGE,
    finalText: '',
  });
  const panel = panelOf(makePanelRecords([...SAMPLE_MOVES.slice(0, 1), failed(0), failed(1), failed(2)]));
  expect(panel.outcome).toMatchObject({ kind: 'failed', reason: 'no agent of the panel has handed in an answer' });
  expect(panel.rounds[0]?.end).toMatchObject({ outcome: 'failed', failure: { class: 'auth', message: 'no key' }, isLast: true });
  expect(panel.agents.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
});

it('whose turn was interrupted has nobody at work, and the turn that takes it up has what was handed in', () => {
  const moves = SAMPLE_MOVES.slice(0, 3);
  const records = makePanelRecords(moves);
  const ended = { iteration: 1, attempt: 1, outcome: { status: 'interrupted' }, usage: {}, toolCalls: 0 };
  records.push({ kind: 'input', seq: 99, input: { type: 'iteration-ended', at: 1, ...ended } as never });
  expect(panelOf(records).agents.map(({ status }) => status)).toEqual(['answered', 'waiting', 'waiting']);
  const start = records.find((record) => record.kind === 'effect');
  if (start?.kind !== 'effect' || start.effect.type !== 'iteration-start' || start.effect.panel === undefined) throw new Error('no start');
  const { panel } = start.effect;
  const answers = [{ agent: 0, revision: 1, content: LONG_ANSWER, canonical: LONG_ANSWER, topic: null, call: 'c' }];
  const taken = { ...panel, home: '1.1', numbers: [2, 3, 1], answers };
  records.push({ ...start, effect: { ...start.effect, iteration: 2, panel: taken } });
  expect(panelOf(records).answers).toMatchObject([{ agent: 0, length: LONG_ANSWER.length, seq: 3 }]);
  expect(panelOf(records).agents.map(({ status }) => status)).toEqual(['answered', 'waiting', 'waiting']);
});

it('a hat with one agent has none', () => {
  const records = makePanelRecords([]).map((record) =>
    record.kind === 'effect' && record.effect.type === 'iteration-start'
      ? { ...record, effect: { ...record.effect, hat: 'other' } }
      : record,
  );
  expect(foldRunView(records).turns[0]?.panel).toBeNull();
});

it('says which worker of a fleet has a round, and since when', () => {
  const opened = SAMPLE_MOVES.slice(0, 1);
  const panel = panelOf(makePanelRecords([...opened, { kind: 'round-started', agent: 1, round: 1, worker: 'w1\u001b[31m' }]));
  expect(panel.rounds.map(({ agent, taken }) => [agent, taken?.worker])).toEqual([
    [0, undefined],
    [1, 'w1'],
    [2, undefined],
  ]);
  expect(panel.rounds[1]?.taken?.seq).toBeGreaterThan(panel.rounds[1]?.seq ?? 0);
});
