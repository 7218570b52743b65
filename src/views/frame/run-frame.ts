import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { FlowGraph } from '../../topology/graph/index.ts';
import { type LiveView, liveTurns, liveUsage } from '../fold/fold-live-view.ts';
import type { QuestionView, RunView, TellView } from '../fold/run-view.ts';
import { type Attention, listAttention, toAttention } from '../report/attention.ts';
import { toNextStep } from '../report/next-step.ts';
import { toReceiptText } from '../report/people-rows.ts';
import { isSeen, type StatusFacts, toElapsedNow } from '../report/running-report.ts';
import { toFirstLine, toPlainLine } from '../text/plain-text.ts';
import { type EvidenceRow, toEvidenceRows } from './evidence-rows.ts';
import { type HatRow, toHatRows } from './hat-rows.ts';
import type { RunHistory } from './run-history.ts';

/** What a face shows of a run at one moment, but for its lists of turns and events, which are asked for page by page. Plain JSON, of a size that does not grow with the run. */
export interface RunFrame {
  readonly v: 1;
  readonly runId: string;
  /** The first line of the task. */
  readonly title: string;
  readonly objective: string;
  /** The input after which all this was so; 0 before the first. */
  readonly seq: number;
  /** The last input that there is. */
  readonly lastSeq: number;
  /** False while an earlier moment is looked at. */
  readonly isNow: boolean;
  /** When that input came; epoch milliseconds. */
  readonly at: number;
  readonly startedAt: number;
  /** `gone`: it has not ended, and its process is not there. `unseen`: nobody can see from here whether it is. */
  readonly state: 'running' | 'parked' | 'ended' | 'gone' | 'unseen';
  /** The most urgent. */
  readonly attention: Attention;
  /** All that applies, the most urgent first; never empty. */
  readonly attentions: readonly Attention[];
  readonly progress: ProgressFacts;
  /** Turns under way, in the order in which they began; empty: nobody works. */
  readonly working: readonly WorkingTurn[];
  /** Gates that run now, by their names. */
  readonly runningGates: readonly string[];
  /** Who works next and why, or what has to be done: a sentence. */
  readonly next: string;
  readonly pending: RunView['pending'];
  readonly graph: FlowGraph | null;
  readonly evidence: readonly EvidenceRow[];
  readonly hats: readonly HatRow[];
  readonly questions: readonly QuestionView[];
  readonly tells: readonly ToldRow[];
  /** The last 20. */
  readonly notices: RunView['notices'];
  readonly end: RunView['end'];
  readonly turnCount: number;
  readonly eventCount: number;
}

/** How far a run is, and what it has used of its limits. */
export interface ProgressFacts {
  readonly iterations: number;
  readonly failedTurns: number;
  readonly maxIterations: number | null;
  readonly elapsedMs: number;
  readonly maxRuntimeMs: number | null;
  /** `null` where nobody has told any cost. */
  readonly costUsd: number | null;
  readonly maxCostUsd: number | null;
  /** Turns whose cost nobody knows: the sum is too low by theirs. */
  readonly unknownCostTurns: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A turn under way. */
export interface WorkingTurn {
  /** Its place in the list of turns. */
  readonly place: number;
  readonly iteration: number;
  readonly attempt: number;
  readonly hat: string;
  readonly backend: string;
  readonly startedAt: number;
  /** The tool call under way that began last; `null` where none is, or nobody knows. */
  readonly tool: { readonly name: string; readonly summary: string; readonly since: number } | null;
  /** When anything last came from its agent; `null` where nothing has, or nobody knows. */
  readonly lastOutputAt: number | null;
  /** So long may it be silent; 0 for no limit, or where nobody knows. */
  readonly idleTimeoutMs: number;
}

/** What a person told, with its receipt in words. */
export interface ToldRow extends Pick<TellView, 'id' | 'seq' | 'at' | 'text' | 'to'> {
  /** `in the journal #12`, `given to builder in turn 7`. */
  readonly receipt: string;
}

/** What is known of a run beside its journal, at this moment; nothing of it holds for an earlier one. */
export type FrameFacts = Pick<StatusFacts, 'isAlive' | 'isUnseen' | 'now' | 'isNewest' | 'live'>;

const SHOWN_NOTICES = 20;
const TITLE_LENGTH = 160;

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
  const live = isSeen(known) && view.end === null ? (known.live ?? null) : null;
  return {
    v: 1,
    runId: view.runId,
    title: toFirstLine(view.objective, TITLE_LENGTH),
    objective: view.objective,
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
    next: toNextText(view, known),
    pending: view.pending,
    graph: history.graph(moment),
    evidence: toEvidenceRows(view),
    hats: toHatRows(view),
    questions: view.questions,
    tells: view.tells.map((tell) => ({
      id: tell.id,
      seq: tell.seq,
      at: tell.at,
      text: tell.text,
      to: tell.to,
      receipt: toReceiptText(tell),
    })),
    notices: view.notices.slice(-SHOWN_NOTICES),
    end: view.end,
    turnCount: view.turns.length,
    eventCount: history.countEvents(moment),
  };
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
      idleTimeoutMs: now?.idleTimeoutMs ?? 0,
    };
  });
}

/** Who works next and why, as far as that is known; of a run that has ended what can be done. */
function toNextText(view: RunView, facts: FrameFacts): string {
  const [first] = view.pending;
  const next = first === undefined ? '' : `${first.hat ?? 'Nobody'} works next, on ${toPlainLine(first.topic, 100)}.`;
  if (view.end !== null) {
    const step = toNextStep(view, facts.isNewest !== false);
    return view.end.reason === 'completed' || next === '' ? step : `${step} ${next}`.trim();
  }
  if (view.waiting !== null && next === '') return 'The same turn is tried again.';
  return next;
}
