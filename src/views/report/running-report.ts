import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { RALPH } from '../../core/events/reserved.ts';
import type { TimerPurpose } from '../../core/run/feedback.ts';
import type { RunLimits } from '../../core/run/run-spec.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { toFleetFolder } from '../../core/values/fleet-address.ts';
import { type LiveTurn, type LiveView, liveTurns, liveUsage } from '../fold/fold-live-view.ts';
import { toProgramText } from '../fold/live-programs.ts';
import type { PanelView } from '../fold/panel-view.ts';
import type { RunView, TurnView } from '../fold/run-view.ts';
import { type FactRow, type RunReport, toRow } from '../text/fact-rows.ts';
import { toCount, toCountedList, toFirstLine, toIterationsText, toList, toPlainLine, toSpentText } from '../text/plain-text.ts';
import { toFateRows, toUncommittedRows } from './change-text.ts';
import type { RunElsewhere } from './elsewhere-report.ts';
import { toEvidence, toRefusals } from './evidence.ts';
import { toPanelRow } from './panel-text.ts';
import { toQuestionRows, toTellRows } from './people-rows.ts';
import { listPrograms, toRoundProgram } from './program-rows.ts';
import { isUntaken, toAboutText, toFleetText, toTurnLine, toWorkerText } from './turn-line.ts';
import type { WorkFacts } from './work-facts.ts';

/** What is known of a run beside its journal. */
export interface StatusFacts {
  /** Whether its process is there. */
  readonly isAlive: boolean;
  /** Whether only its lock says so, because the place where it runs cannot be seen from here; no by default. */
  readonly isUnseen?: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether the run is the one that a command without a run means; true by default. */
  readonly isNewest?: boolean;
  /** Whether its turns are listed beside it: then the report need not say how to see them. */
  readonly isOverview?: boolean;
  /** What is known beside the journal of a run that nobody works on any more; absent where nobody looked. */
  readonly facts?: WorkFacts | null;
  /** What its turn does at this moment; absent or `null` where nobody knows. */
  readonly live?: LiveView | null;
  /** Processes that it left running when its own was killed; absent or empty: none. */
  readonly left?: readonly number[];
  /** The address of the fleet whose workers take its turns, without who asks; absent or `null`: they are taken where the run is. */
  readonly fleet?: string | null;
  /** What a worker must have for one of its turns; absent: nobody knows. */
  readonly labelsOf?: (turn: TurnView) => readonly string[];
  /** Where it is, of a run that is not here any more; absent or `null`: it is here, or nobody asked. */
  readonly elsewhere?: RunElsewhere | null;
  /** What of its journal cannot be read, in words; absent or `null`: nothing. */
  readonly damage?: string | null;
  /** Its process, where only a signal to that ends it; absent or `null` where `ralph stop` does. */
  readonly signalPid?: number | null;
}

const SHOWN_TURNS = 4;

/** One screen on a run that has not ended: what it does now, what it waits for, how far it is. */
export function toRunningReport(view: RunView, facts: StatusFacts): RunReport {
  const rows: FactRow[] = [
    ...toRow('Damaged', facts.damage ?? ''),
    ...toFateRows(facts.facts ?? null),
    { label: 'Asked', text: toFirstLine(view.objective, 160) },
    ...toRow('Fleet', toFleetText(view, facts.fleet)),
    ...toQuestionRows(view, facts.now),
    ...view.turns
      .filter((turn) => turn.status === 'running')
      .flatMap((turn) => [{ label: 'Now', text: toNowText(turn, facts) }, ...toPanelRow(toOfferedPanel(turn, facts))]),
    ...toLiveRows(view, facts),
    ...toRow('Waits', toWaitText(view, facts)),
    ...toProgramRows(view, facts),
    ...toRow(
      'Queue',
      toCountedList(
        view.pending.map(({ topic, hat }) => `${topic} for ${hat}`),
        6,
      ),
    ),
    ...toTellRows(view),
    ...view.turns
      .filter((turn) => turn.status !== 'running')
      .slice(-SHOWN_TURNS)
      .map((turn) => ({ label: 'Last', text: toTurnLine(turn) })),
    ...toEvidence(view).map((text) => ({ label: 'Evidence', text })),
    ...toRow('Refused', toList(toRefusals(view), 2)),
    ...toRow('Left', toLeftText(facts)),
    ...toUncommittedRows(facts.facts?.place ?? null),
    { label: 'Used', text: toUsedText(view, facts) },
    { label: 'Next', text: toNextText(view, facts) },
  ];
  return { headline: toStatusHeadline(view, facts), isGood: isSeen(facts), rows };
}

function toNextText(view: RunView, { isAlive, isUnseen, isNewest, signalPid = null }: StatusFacts): string {
  const run = isNewest === false ? ` ${view.runId}` : '';
  if (isUnseen === true) return `Look where it was started. If it is gone there, \`ralph resume${run}\` names what to remove.`;
  const end =
    signalPid === null
      ? `end it after the running turn with \`ralph stop${run}\``
      : `end it with \`kill ${signalPid}\` (or Ctrl+C where it was started)`;
  return isAlive ? `Watch it with \`ralph show${run} --follow\`, ${end}.` : `Go on with \`ralph resume${run}\`.`;
}

function toLeftText({ left = [] }: StatusFacts): string {
  if (left.length === 0) return '';
  const who = left.length === 1 ? `process ${left[0]} is` : `processes ${toList(left.map(String), 6)} are`;
  return `${who} still at work, begun by the run; end that with \`ralph reap\``;
}

function toStatusHeadline(view: RunView, { isAlive, isUnseen, now }: StatusFacts): string {
  if (isUnseen === true)
    return `Run ${view.runId} may be running: its process cannot be seen from here (last record ${toDurationText(now - view.at)} ago).`;
  if (!isAlive) return `Run ${view.runId} has not ended, but its process is gone (last record ${toDurationText(now - view.at)} ago).`;
  const parked = view.status === 'parked' ? 'is parked' : 'is running';
  return `Run ${view.runId} ${parked}, started ${toDurationText(now - view.startedAt)} ago.`;
}

function toNowText(turn: TurnView, facts: StatusFacts): string {
  const gone = facts.isUnseen === true ? 'when it was last heard of' : 'when its process ended';
  const since = isSeen(facts) ? `for ${toDurationText(facts.now - turn.startedAt)}` : gone;
  const who = `iteration ${turn.iteration}, ${toHatAndBackend(turn)}`;
  if (isUntaken(turn, facts.fleet))
    return `${who} waits for a worker${toWantedText(turn, facts)} ${since}${toAskedText(turn)}${toStartText(turn, facts)}`;
  return `${who}${toWorkerText(turn.worker)} ${since}${toAskedText(turn)}`;
}

/** ` with claude,gpu` */
function toWantedText(turn: TurnView, { labelsOf }: StatusFacts): string {
  const labels = labelsOf?.(turn) ?? [];
  return labels.length === 0 ? '' : ` with ${toPlainLine(labels.join(','), 200)}`;
}

/** How a worker for a turn is started, on any machine that reaches the fleet. */
function toStartText(turn: TurnView, facts: StatusFacts): string {
  const { labelsOf, fleet } = facts;
  const labels = labelsOf?.(turn) ?? [];
  if (labels.length === 0 || fleet == null || !isSeen(facts)) return '';
  const login = toFleetFolder(fleet) === null ? ', with its login where it has one' : '';
  return `. Where none is there or free: \`ralph worker --nats ${toShellWord(toPlainLine(fleet, 200))} --labels ${labels.map((label) => toShellWord(toPlainLine(label, 60))).join(',')}\`${login}`;
}

/** Shows whether it is stuck: the running tool call, how long the agent has been silent, and how long it may be. */
function toLiveRows(view: RunView, facts: StatusFacts): readonly FactRow[] {
  const { live, now } = facts;
  if (!isSeen(facts) || live === undefined || live === null) return [];
  const { gates } = live;
  if (gates !== null) {
    const names = gates.gates.map((index) => toPlainLine(view.gates[index] ?? `#${index}`, 60));
    return [{ label: 'Gates', text: `${names.join(', ')} for ${toDurationText(now - gates.since)}` }];
  }
  const turns = liveTurns(live).filter((turn) => isRunning(view, turn));
  const toWhose = ({ hat, iteration }: LiveTurn): string =>
    turns.filter((other) => other.hat === hat).length > 1 ? `${hat} ${iteration}: ` : `${hat}: `;
  return turns.flatMap((turn) => toTurnRows(turn, now, { whose: turns.length > 1 ? toWhose(turn) : '', waits: isAsking(view, turn) }));
}

/** An agent's round is part of its turn, so it gets no row `Now`. */
function toProgramRows(view: RunView, facts: StatusFacts): readonly FactRow[] {
  if (!isSeen(facts)) return [];
  const rounds = new Set(view.turns.flatMap((turn) => (turn.panel?.agents ?? []).map((_, agent) => toRoundProgram(turn, agent))));
  return listPrograms(view, facts.live?.programs).map((program) => ({
    label: program.worker === null ? 'Waits' : rounds.has(program.program) ? 'Panel' : 'Now',
    text: `${toProgramText(program)} for ${toDurationText(Math.max(0, facts.now - program.since))}`,
  }));
}

/** The panel of a turn: an agent whose round waits for a worker is asked, and not at work. */
function toOfferedPanel(turn: TurnView, facts: StatusFacts): PanelView | null {
  const { panel } = turn;
  if (panel === null || !isSeen(facts)) return panel;
  const offered = new Set((facts.live?.programs ?? []).flatMap(({ program, worker }) => (worker === null ? [program] : [])));
  const isOffered = (agent: number): boolean => offered.has(toRoundProgram(turn, agent));
  return { ...panel, agents: panel.agents.map((agent, place) => (isOffered(place) ? { ...agent, status: 'waiting' as const } : agent)) };
}

/** A turn that waits for an answer may be silent: its clock stands. */
export function isAsking(
  { questions }: Pick<RunView, 'questions'>,
  { iteration, attempt }: Pick<TurnView, 'iteration' | 'attempt'>,
): boolean {
  return questions.some((asked) => asked.answer === null && asked.iteration === iteration && asked.attempt === attempt);
}

/** Whether everything that could work waits for an answer of its people. What one agent of a panel asks does not hold the others up. */
export function isWaiting(view: RunView, facts: Pick<StatusFacts, 'isAlive' | 'isUnseen' | 'live'>): boolean {
  if (view.end !== null || !isSeen(facts) || facts.live?.gates != null) return false;
  const running = view.turns.filter(({ status }) => status === 'running');
  return running.length > 0 && running.every((turn) => turn.panel === null && isAsking(view, turn));
}

/** @param whose whose turn it is, where several run */
function toTurnRows(
  turn: LiveTurn,
  now: number,
  { whose, waits }: { readonly whose: string; readonly waits: boolean },
): readonly FactRow[] {
  if (turn.begunAt === null && turn.lastOutputAt === null) return [];
  const limit = waits
    ? '; it waits for an answer, which stops its clocks'
    : turn.idleTimeoutMs > 0
      ? `; after ${toDurationText(turn.idleTimeoutMs)} of silence the turn is ended`
      : '';
  const last = turn.lastOutputAt === null ? 'none yet' : `the last one ${toDurationText(now - turn.lastOutputAt)} ago`;
  return [
    ...turn.tools.map((tool) => ({
      label: 'Tool',
      text: `${whose}${[tool.name, tool.summary].join(' ').trim()} for ${toDurationText(now - tool.since)}`,
    })),
    { label: 'Output', text: `${whose}${last}${limit}` },
  ];
}

/** The live view may be older than the journal. */
function isRunning(view: RunView, { iteration, attempt }: LiveTurn): boolean {
  return view.turns.some((turn) => turn.status === 'running' && turn.iteration === iteration && turn.attempt === attempt);
}

function toAskedText(turn: TurnView): string {
  const about = toAboutText(turn);
  if (about !== '') return `, on ${about}`;
  const topics = [...new Set(turn.given.map((event) => event.topic))];
  return topics.length === 0 ? '' : `, on ${toList(topics, 3)}`;
}

/** `builder (claude)`, `analyst (3 agents)` where a panel wears it, or the hat alone where the backend is not known. */
export function toHatAndBackend(turn: Pick<TurnView, 'hat' | 'backend' | 'panel'>): string {
  const hat = turn.hat === RALPH ? 'Ralph' : turn.hat;
  if (turn.panel !== null) return `${hat} (${toCount(turn.panel.agents.length, 'agent')})`;
  return turn.backend === '' ? hat : `${hat} (${toPlainLine(turn.backend, 60)})`;
}

const WAITS: Readonly<Record<TimerPurpose, string>> = {
  retry: 'for another try',
  limit: 'for the reset of the usage limit',
  cooldown: 'between two turns',
  runtime: 'for the end of the running time',
  question: 'for an answer',
};

function toWaitText(view: RunView, { now }: StatusFacts): string {
  if (view.waiting === null) return '';
  return `${WAITS[view.waiting.purpose]}, ${toDurationText(view.waiting.dueAt - now)} more`;
}

function toUsedText(view: RunView, facts: StatusFacts): string {
  const { unknownCostTurns } = view.totals;
  const usage = addUsage(view.totals.usage, isSeen(facts) && facts.live ? liveUsage(facts.live) : UNKNOWN_USAGE);
  const isNothingTold = usage.costUsd === null && usage.inputTokens === null && usage.outputTokens === null;
  const isEarly =
    isNothingTold && unknownCostTurns === 0 && (view.turns.length === 0 || view.turns.some((turn) => turn.status === 'running'));
  return [
    toIterationsText(view.totals, view.limits?.maxIterations),
    toDurationText(toElapsedNow(view, facts)),
    toCostText(isEarly ? 'not told yet' : toSpentText(usage, unknownCostTurns), view.limits),
  ].join('; ');
}

/** How long processes have worked on a run until now, in milliseconds; the time between a stop and a resume is left out. */
export function toElapsedNow(
  view: Pick<RunView, 'elapsedMs' | 'at' | 'end'>,
  facts: Pick<StatusFacts, 'isAlive' | 'isUnseen' | 'now'>,
): number {
  return isSeen(facts) && view.end === null ? view.elapsedMs + Math.max(0, facts.now - view.at) : view.elapsedMs;
}

function toCostText(spent: string, limits: RunLimits | null): string {
  const limitUsd = limits?.maxCostUsd ?? null;
  return `cost ${spent}${limitUsd === null ? '' : ` (limit ${toUsdText(limitUsd)})`}`;
}

/** Whether its process is there, as far as anybody can see from here. */
export function isSeen({ isAlive, isUnseen = false }: Pick<StatusFacts, 'isAlive' | 'isUnseen'>): boolean {
  return isAlive && !isUnseen;
}
