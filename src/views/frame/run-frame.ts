import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { type TurnId, toTurnLabel } from '../../core/run/turn.ts';
import type { Attention } from '../../wire/attention.ts';
import type { ProgressFacts, RunFrame, WorkingTurn } from '../../wire/run-frame.ts';
import { type LiveView, liveTurns, liveUsage } from '../fold/fold-live-view.ts';
import type { RunView } from '../fold/run-view.ts';
import { listAttention, toAttention } from '../report/attention.ts';
import { toElsewhereAttention } from '../report/elsewhere-report.ts';
import { toFateText, toReceiptText } from '../report/people-rows.ts';
import { listProgramRows } from '../report/program-rows.ts';
import { isSeen, isWaiting, type StatusFacts, toElapsedNow } from '../report/running-report.ts';
import { isUntaken, toAboutText } from '../report/turn-line.ts';
import { cleanText, cutText, toCount, toFirstLine, toPlainLine } from '../text/plain-text.ts';
import { toEvidenceRows } from './evidence-rows.ts';
import { toHatRows } from './hat-rows.ts';
import { toNextText } from './next-text.ts';
import type { FrameFacts, RunHistory } from './watched-run.ts';

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
  const { elsewhere = null } = known;
  const there = elsewhere === null ? null : toElsewhereAttention(view, elsewhere);
  const attentions = there === null ? listAttention(view, known) : [there];
  const state = toState(view, known);
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
    fleet: facts.fleet ?? null,
    state,
    word: elsewhere?.state === 'held' ? 'goes on elsewhere' : toWord(state, view.end?.reason ?? ''),
    attention: attentions[0] ?? toAttention(view, known),
    attentions,
    said: toSaid(attentions),
    progress: toProgress(view, known, live),
    working: toWorking(view, live, facts.fleet ?? null),
    programs: isSeen(known) && view.end === null ? listProgramRows(view, live?.programs) : [],
    runningGates: (live?.gates?.gates ?? []).map((index) => view.gates[index] ?? `#${index}`),
    // What is done next is done there.
    next: elsewhere?.state === 'held' ? '' : toNextText(view, known, graph),
    pending: view.pending,
    graph,
    evidence: toEvidenceRows(view),
    hats: toHatRows(view),
    // Choices are sent back as they are.
    questions: pickQuestions(view.questions).map((question) => ({
      ...question,
      text: cleanText(question.text),
      fate: toFateText(question, view),
    })),
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
export function toPastFacts(view: Pick<RunView, 'at'>, { isNewest, fleet = null }: Pick<StatusFacts, 'isNewest' | 'fleet'>): FrameFacts {
  return { isAlive: true, now: view.at, live: null, fleet, ...(isNewest !== undefined && { isNewest }) };
}

export function toState(view: RunView, facts: FrameFacts): RunFrame['state'] {
  if (view.end !== null) return 'ended';
  if (facts.isUnseen === true || facts.elsewhere?.state === 'held') return 'unseen';
  if (!facts.isAlive) return 'gone';
  if (view.status === 'parked') return 'parked';
  return isWaiting(view, facts) ? 'waiting' : 'running';
}

const WORDS: Readonly<Record<Exclude<RunFrame['state'], 'ended'>, string>> = {
  running: 'running',
  waiting: 'waiting for you',
  parked: 'parked',
  gone: 'died',
  unseen: 'cannot be seen from here',
};

function toWord(state: RunFrame['state'], reason: string): string {
  if (state !== 'ended') return WORDS[state];
  return reason === 'completed' ? reason : `ended: ${reason.replaceAll('_', ' ')}`;
}

/** In their order. */
const FOR_PEOPLE: readonly Attention['state'][] = ['needs_you', 'stuck', 'limit_near'];

/** That a run has ended is its word; what it needs is not said twice. */
function toSaid(attentions: readonly Attention[]): readonly Attention[] {
  const needs = attentions.filter(({ state }) => FOR_PEOPLE.includes(state));
  const goes = attentions.filter(({ state }) => state === 'working' || (state === 'done' && needs.length === 0));
  // Whoever may look at its output has it beside.
  const red = attentions.filter(({ state }) => state === 'gate_red').map((attention) => ({ ...attention, action: '' }));
  return [...needs, ...goes, ...red];
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
    costNote: usage.costUsd === null ? '' : toCostNote(view, live),
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
  };
}

/** What a turn under way costs is known once its agent tells. */
function toCostNote({ turns, totals: { unknownCostTurns }, end }: RunView, live: LiveView | null): string {
  const told = live === null ? [] : liveTurns(live).filter(({ usage }) => usage.costUsd !== null);
  const open = end !== null ? [] : turns.filter((turn) => turn.status === 'running' && !told.some((known) => isSameTurn(known, turn)));
  return [
    ...(unknownCostTurns === 0 ? [] : [`, ${toCount(unknownCostTurns, 'turn')} unknown`]),
    ...open.map((turn) => ` + turn ${toTurnLabel(turn)}`),
  ].join('');
}

function isSameTurn(one: TurnId, other: TurnId): boolean {
  return one.iteration === other.iteration && one.attempt === other.attempt;
}

function toWorking(view: RunView, live: LiveView | null, fleet: string | null): readonly WorkingTurn[] {
  if (view.end !== null) return [];
  const known = live === null ? [] : liveTurns(live);
  return view.turns.flatMap((turn, place) => {
    if (turn.status !== 'running') return [];
    const now = known.find((other) => isSameTurn(other, turn));
    const tool = now?.tools.at(-1);
    const { iteration, attempt, hat, backend, worker, startedAt } = turn;
    return {
      place,
      iteration,
      attempt,
      hat,
      about: toAboutText(turn),
      backend,
      worker: worker === null ? null : toPlainLine(worker, 60),
      waitsForWorker: isUntaken(turn, fleet),
      startedAt,
      tool: tool === undefined ? null : { name: tool.name, summary: tool.summary, since: tool.since },
      lastOutputAt: now?.lastOutputAt ?? null,
      waitsSince: view.questions.find((asked) => asked.answer === null && isSameTurn(asked, turn))?.askedAt ?? null,
      idleTimeoutMs: now?.idleTimeoutMs ?? 0,
    };
  });
}
