import { UNKNOWN_USAGE } from '../backends/usage.ts';
import { makeHat, makeSpec } from '../spec-fixtures.ts';
import type { Input } from './inputs.ts';
import type { PanelSpec } from './panel-spec.ts';
import { createPanel, type PanelMove, type PanelState, type RoundEnded } from './panel-state.ts';
import type { RunRecord } from './run-record.ts';

/** Three agents; the first news of an answer reach them as they work, others by a new prompt. */
export const SAMPLE_PANEL: PanelSpec = {
  agents: ['anna', 'ben', 'carl'].map((id) => ({ id, instructions: '' })),
  strategy: 'vote',
  maxAnswersPerAgent: 1,
  maxAnswersTotal: null,
  novelty: 'balanced',
  voting: 'balanced',
  injection: 'restart',
  firstInjection: 'mid_stream',
  maxInjectionsPerRound: 2,
  timeoutMs: 1_800_000,
  maxParallel: 3,
  quorum: 1,
  minAgents: 1,
  budgetUsd: null,
};

const answer = (agent: number, round: number, content: string, topic?: string): PanelMove => ({
  kind: 'answer-given',
  agent,
  round,
  call: `a${agent}`,
  content,
  canonical: content,
  ...(topic === undefined ? {} : { topic }),
});

const vote = (agent: number, round: number, target: string, reason: string): PanelMove => ({
  kind: 'vote-given',
  agent,
  round,
  call: `v${agent}`,
  target,
  reason,
});

const end = (agent: number, round: number, parts: Partial<RoundEnded> = {}): PanelMove => ({
  kind: 'round-ended',
  agent,
  round,
  outcome: 'done',
  usage: { ...UNKNOWN_USAGE, inputTokens: 1200, outputTokens: 300, costUsd: 0.25 },
  finalText: '',
  ...parts,
});

/** Control sequences, as no terminal may get them. */
const HOSTILE = '\u001b[31mShort\u001b[0m\r\nand\u202e clear.';
export const LONG_ANSWER = `Use a cache.\n${'It is measured. '.repeat(100)}`;

/** Anna is asked, answers, and wins with two of three votes; ben is told of her answer while he works; carl begins again, fails once, and votes twice. */
export const SAMPLE_MOVES: readonly PanelMove[] = [
  { kind: 'opened', numbers: [2, 3, 1], home: '1.1' },
  answer(0, 1, LONG_ANSWER, 'analysis.done'),
  end(0, 1),
  { kind: 'update-given', agent: 1, round: 1, update: '1.1.1' },
  answer(1, 1, 'Split the tests.'),
  end(1, 1),
  end(2, 1, { outcome: 'stopped' }),
  end(2, 2, { outcome: 'failed', failure: { class: 'agent', message: 'exit code 3' } }),
  vote(2, 3, 'agent9', 'Whoever that is.'),
  vote(2, 3, 'agent2', HOSTILE),
  end(2, 3),
  vote(0, 2, 'agent2', 'Mine is measured.'),
  end(0, 2),
  vote(1, 2, 'agent3', 'Mine is simple.'),
  end(1, 2),
];

/** 21 November 2026, 22:33:31. */
const RUN_START = 1_795_300_411_000;

/**
 * The records of a run whose only hat is worn by a panel, a second between two inputs. Its turn is under way.
 *
 * @param taken the panel that its turn takes up; by default a new one
 */
export function makePanelRecords(
  moves: readonly PanelMove[] = SAMPLE_MOVES,
  parts: Partial<PanelSpec> = {},
  taken: PanelState = createPanel(SAMPLE_PANEL.agents.length),
): RunRecord[] {
  const records: RunRecord[] = [];
  const panel = { ...SAMPLE_PANEL, ...parts };
  const hats = [makeHat('analyst', ['task.start'], ['analysis.done'], { panel, backends: ['claude', 'codex', 'gemini'] })];
  const input = (given: object): void => {
    const seq = records.filter(({ kind }) => kind === 'input').length + 1;
    records.push({ kind: 'input', seq, input: { at: RUN_START + seq * 1000, ...given } as Input });
  };
  const turn = { iteration: 1, attempt: 1 };
  input({ type: 'run-started', runId: '20261121-223331-k7f2a', spec: makeSpec({ hats }), flags: [], inboxOffset: 0 });
  records.push({
    kind: 'effect',
    seq: 1,
    at: RUN_START + 1000,
    effect: {
      type: 'iteration-start',
      ...turn,
      hat: 'analyst',
      backend: 0,
      events: [],
      feedback: [],
      fallback: null,
      timeoutMs: 1,
      idleTimeoutMs: 1,
      panel: taken,
    },
  });
  for (const move of moves) input({ type: 'panel-moved', ...turn, move });
  return records;
}
