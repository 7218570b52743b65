import { expect, it } from 'vitest';
import { makePanelRecords, SAMPLE_MOVES } from '../../core/run/panel-fixtures.ts';
import type { PanelMove } from '../../core/run/panel-state.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import type { PanelView } from '../fold/panel-view.ts';
import { toKeptText, toPanelSteps, toShortfallText } from './panel-text.ts';
import { isUntaken, toFleetText } from './turn-line.ts';

function panelOf(moves: readonly PanelMove[]): PanelView {
  const panel = foldRunView(makePanelRecords(moves)).turns.at(-1)?.panel ?? null;
  if (panel === null) throw new Error('no panel');
  return panel;
}

const [opened, ...others] = SAMPLE_MOVES;
const withoutCarl = others.filter((move) => !('agent' in move) || move.agent !== 2);
const gone: PanelMove = {
  ...{ kind: 'round-ended', agent: 2, round: 1, outcome: 'failed', finalText: '' },
  failure: { class: 'spawn', message: 'claude could not be started', isMissing: true },
  usage: { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null },
};

it('says how many of a panel answered, and why the others did not, where somebody gave up', () => {
  expect(toShortfallText(panelOf(SAMPLE_MOVES))).toBe('');
  const moves = [...(opened === undefined ? [] : [opened]), gone];
  expect(toShortfallText(panelOf([...moves, ...withoutCarl]))).toBe('2 of 3 agents answered; carl failed: claude could not be started');
  expect(toShortfallText(panelOf([...moves, { ...gone, agent: 1 }]))).toBe(
    '0 of 3 agents answered; ben and carl failed: claude could not be started',
  );
});

it('says what is kept of a panel that was interrupted, and who is asked again', () => {
  expect(toKeptText(panelOf(SAMPLE_MOVES.slice(0, 3)))).toBe('1 answer kept; ben and carl are asked again');
  expect(toKeptText(panelOf(SAMPLE_MOVES.slice(0, 6)))).toBe('2 answers kept; carl is asked again');
});

it('waits for a worker of its fleet until one has begun a round, and says which has', () => {
  const turnOf = (moves: readonly PanelMove[]) => {
    const turn = foldRunView(makePanelRecords(moves)).turns.at(-1);
    if (turn === undefined) throw new Error('no turn');
    return { ...turn, status: 'running' as const, worker: null };
  };
  const offered = turnOf(SAMPLE_MOVES.slice(0, 1));
  const taken = turnOf([...SAMPLE_MOVES.slice(0, 1), { kind: 'round-started', agent: 1, round: 1, worker: 'w1' }]);
  expect([isUntaken(offered, 'nats://x'), isUntaken(offered, null), isUntaken(taken, 'nats://x')]).toEqual([true, false, false]);
  expect(taken.panel === null ? [] : toPanelSteps(taken.panel).at(-1)).toMatchObject({ agent: 'ben', text: 'at work on worker w1' });
  expect(toFleetText({ turns: [taken] }, null)).toBe('rounds of panels by worker: w1 (1)');
});
