import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { ProgressFacts, RunFrame, WorkingTurn } from '../../wire/run-frame.ts';
import { type LiveView, liveTurns, liveUsage } from '../fold/fold-live-view.ts';
import type { RunView } from '../fold/run-view.ts';
import { listAttention, toAttention } from '../report/attention.ts';
import { toReceiptText } from '../report/people-rows.ts';
import { isSeen, type StatusFacts, toElapsedNow } from '../report/running-report.ts';
import { cleanText, cutText, toFirstLine } from '../text/plain-text.ts';
import { toEvidenceRows } from './evidence-rows.ts';
import { toHatRows } from './hat-rows.ts';
import { toNextText } from './next-text.ts';
import type { RunHistory } from './run-history.ts';

/** What is known of a run beside its journal, at this moment; nothing of it holds for an earlier one. */
export type FrameFacts = Pick<StatusFacts, 'isAlive' | 'isUnseen' | 'now' | 'isNewest' | 'live'>;

const SHOWN_NOTICES = 20;
const TITLE_LENGTH = 160;
const TASK_LENGTH = 4000;
/** So many that are over, and so many that were told: frames are sent again and again. */
const SHOWN_WORDS = 50;

/**
 * A run at a moment.
 *
 * @param seq an input; default: the last one. Of an earlier moment nothing is known but what the journal says, and its clock stood at that input.
 */
export function toRunFrame(history: RunHistory, facts: FrameFacts, seq?: number): RunFrame {
  const lastSeq = history.lastSeq();
  const moment = seq === undefined ? lastSeq : Math.max(0, Math.min(seq, lastSeq));
  const isNow = moment === lastSeq;
  const view = isNow ? history.view() : history.view(moment);
  const known = isNow ? facts : toPastFacts(view, facts);
  const attentions = listAttention(view, known);
  const graph = history.graph(moment);
  const live = isSeen(known) && view.end === null ? (known.live ?? null) : null;
  return {
    v: 1,
    runId: view.runId,
    title: toFirstLine(view.objective, TITLE_LENGTH),
    objective: cutText(cleanText(view.objective.slice(0, 2 * TASK_LENGTH)), TASK_LENGTH),
    seq: moment,
    lastSeq,
    isNow,
    at: view.at,
    startedAt: view.startedAt,
    state: toState(view, known),
    attention: attentions[0] ?? toAttention(view, known),
    attentions,
    progress: toProgress(view, known, live),
    working: toWorking(view, live),
    runningGates: (live?.gates?.gates ?? []).map((index) => view.gates[index] ?? `#${index}`),
    next: toNextText(view, known, graph),
    pending: view.pending,
    graph,
    evidence: toEvidenceRows(view),
    hats: toHatRows(view),
    // Choices are sent back as they are.
    questions: pickQuestions(view.questions).map((question) => ({ ...question, text: cleanText(question.text) })),
    tells: view.tells.slice(-SHOWN_WORDS).map((tell) => ({
      id: tell.id,
      seq: tell.seq,
      at: tell.at,
      text: cleanText(tell.text),
      to: tell.to,
      receipt: toReceiptText(tell),
    })),
    notices: view.notices.slice(-SHOWN_NOTICES).map((notice) => ({ ...notice, text: cleanText(notice.text) })),
    end: view.end === null ? null : { ...view.end, detail: cleanText(view.end.detail) },
    turnCount: view.turns.length,
    eventCount: history.countEvents(moment),
  };
}

/** All that are open, and the last of those that are not. */
function pickQuestions(questions: RunView['questions']): RunView['questions'] {
  const over = questions.filter(({ answer }) => answer !== null);
  const dropped = new Set(over.slice(0, -SHOWN_WORDS));
  return dropped.size === 0 ? questions : questions.filter((question) => !dropped.has(question));
}

/** An earlier moment is looked at as if somebody had looked then: its process was there, and its clock stood at that input. */
export function toPastFacts(view: Pick<RunView, 'at'>, { isNewest }: Pick<StatusFacts, 'isNewest'>): FrameFacts {
  return { isAlive: true, now: view.at, live: null, ...(isNewest !== undefined && { isNewest }) };
}

export function toState(view: RunView, { isAlive, isUnseen }: FrameFacts): RunFrame['state'] {
  if (view.end !== null) return 'ended';
  if (isUnseen === true) return 'unseen';
  if (!isAlive) return 'gone';
  return view.status === 'parked' ? 'parked' : 'running';
}

export function toProgress(view: RunView, facts: FrameFacts, live: LiveView | null): ProgressFacts {
  const { totals, limits } = view;
  const usage = addUsage(totals.usage, live === null ? UNKNOWN_USAGE : liveUsage(live));
  return {
    iterations: totals.iterations,
    failedTurns: totals.failed,
    maxIterations: limits?.maxIterations ?? null,
    elapsedMs: toElapsedNow(view, facts),
    maxRuntimeMs: limits?.maxRuntimeMs ?? null,
    costUsd: usage.costUsd,
    maxCostUsd: limits?.maxCostUsd ?? null,
    unknownCostTurns: totals.unknownCostTurns,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
  };
}

function toWorking(view: RunView, live: LiveView | null): readonly WorkingTurn[] {
  if (view.end !== null) return [];
  const known = live === null ? [] : liveTurns(live);
  return view.turns.flatMap((turn, place) => {
    if (turn.status !== 'running') return [];
    const now = known.find(({ iteration, attempt }) => iteration === turn.iteration && attempt === turn.attempt);
    const tool = now?.tools.at(-1);
    const { iteration, attempt, hat, backend, startedAt } = turn;
    return {
      place,
      iteration,
      attempt,
      hat,
      backend,
      startedAt,
      tool: tool === undefined ? null : { name: tool.name, summary: tool.summary, since: tool.since },
      lastOutputAt: now?.lastOutputAt ?? null,
      waitsSince:
        view.questions.find((asked) => asked.answer === null && asked.iteration === iteration && asked.attempt === attempt)?.askedAt ??
        null,
      idleTimeoutMs: now?.idleTimeoutMs ?? 0,
    };
  });
}
