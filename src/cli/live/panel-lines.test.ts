import { expect, it } from 'vitest';
import { makePanelRecords, SAMPLE_MOVES } from '../../core/run/panel-fixtures.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { PanelMove } from '../../core/run/panel-state.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import { createFakeContext } from '../fixtures.ts';
import { createTextPrinter } from './text-printer.ts';

/** What is printed of the moves of a panel, without the time of day. */
function show(moves: readonly PanelMove[] = SAMPLE_MOVES, parts: Partial<PanelSpec> = {}): readonly string[] {
  const fake = createFakeContext({});
  const printer = createTextPrinter(fake.context, { verbose: false });
  const fold = createRunViewFold();
  for (const record of makePanelRecords(moves, parts)) {
    fold.take(record);
    printer.show(record, fold.turnOf(record));
  }
  const lines = fake.out().trimEnd().split('\n');
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, '')).filter((line) => line !== '' && !line.startsWith('──'));
}

it('shows a panel line by line, with its agents as people know them', () => {
  expect(show()).toEqual([
    '  anna  works on an answer (round 1)',
    '  ben   works on an answer (round 1)',
    '  carl  works on an answer (round 1)',
    '  anna  answered (1,613 characters, for analysis.done)',
    "  ben   was told of anna's answer",
    '  ben   answered (16 characters)',
    '  carl  begins again with 2 answers (round 2)',
    '  carl  failed: exit code 3',
    '  carl  begins again with 2 answers (round 3)',
    '  carl  was told: There is no answer of agent9. There are: anna, ben.',
    '  carl  votes for anna: Short and clear.',
    '  anna  is to vote on 2 answers (round 2)',
    '  ben   is to vote on 2 answers (round 2)',
    '  anna  votes for anna: Mine is measured.',
    '  ben   votes for ben: Mine is simple.',
    '    anna  2 votes (carl, anna)',
    '    ben   1 vote (ben)',
    '  → anna won with 2 of 3 votes',
  ]);
});

it('says the whole first line of why a round failed, however long it is, and how many lines more there are', () => {
  const why = `the worker w1 was lost, and what it had reported by then could not be had from the fleet: ${'it is away '.repeat(40)}at the end`;
  const moves = SAMPLE_MOVES.map((move) =>
    move.kind === 'round-ended' && move.failure !== undefined
      ? { ...move, failure: { ...move.failure, message: `${why}\nmore\nand more` } }
      : move,
  );
  expect(show(moves)).toContain(`  carl  failed: ${why} (+2 lines)`);
});

it('says why a panel failed', () => {
  const lines = show([...SAMPLE_MOVES.slice(0, 1), { kind: 'time-up' }], { minAgents: 2 });
  expect(lines.at(-1)).toBe('        the time of the panel is over');
  const ended = [0, 1, 2].map((agent): PanelMove => {
    const usage = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null };
    return { kind: 'round-ended', agent, round: 1, outcome: 'stopped', usage, finalText: '' };
  });
  expect(show([...SAMPLE_MOVES.slice(0, 1), { kind: 'time-up' }, ...ended]).at(-1)).toBe(
    '  ✗ the panel failed: no agent of the panel has handed in an answer before the time of the panel was over',
  );
});

it('says of a tie, and of too few votes, why an answer won', () => {
  const apart = SAMPLE_MOVES.map((move) => (move.kind === 'vote-given' && move.agent === 2 ? { ...move, target: 'agent3' } : move));
  const tied = apart.filter((move) => move.kind !== 'vote-given' || move.agent !== 1);
  expect(show(apart).at(-1)).toBe('  → ben won with 2 of 3 votes');
  expect(show(apart, { quorum: 4 }).at(-1)).toBe('  → anna won with 1 of 3 votes: too few agents voted, and its answer came first');
  const silent = [2, 3, 4, 5].map((round) => ({ ...SAMPLE_MOVES.at(-1), round }) as PanelMove);
  const lines = show([...tied, ...silent]);
  expect(lines).toContain('  ben   handed in nothing, and is to vote on 2 answers (round 3)');
  expect(lines).toContain('  ben   handed in nothing, and is asked no more');
  expect(lines.at(-1)).toBe('  → anna won with 1 of 2 votes (a tie; first in the file)');
});
