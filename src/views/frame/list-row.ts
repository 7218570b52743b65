import type { RunListRow } from '../../wire/run-list.ts';
import type { RunView } from '../fold/run-view.ts';
import { toAttention } from '../report/attention.ts';
import { isSeen } from '../report/running-report.ts';
import { toFirstLine } from '../text/plain-text.ts';
import { toProgress, toState } from './run-frame.ts';
import type { FrameFacts } from './watched-run.ts';

const TITLE_LENGTH = 160;

/** What a list tells of a run, beside where it is; the same as its frame now. */
export function toListRow(view: RunView, facts: FrameFacts): Omit<RunListRow, 'key' | 'runId' | 'folder'> {
  const live = isSeen(facts) && view.end === null ? (facts.live ?? null) : null;
  const { iterations, maxIterations, costUsd } = toProgress(view, facts, live);
  const isOver = view.end !== null || !facts.isAlive;
  return {
    title: toFirstLine(view.objective, TITLE_LENGTH),
    state: toState(view, facts),
    attention: toAttention(view, facts),
    startedAt: view.startedAt,
    reason: view.end?.reason ?? null,
    at: view.end?.at ?? view.at,
    iterations,
    maxIterations,
    costUsd,
    working: isOver ? [] : view.turns.filter(({ status }) => status === 'running').map(({ hat }) => hat),
  };
}
