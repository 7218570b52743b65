import { END_REASONS } from '../../core/run/end-reasons.ts';
import { toSentenceStart, toTurnTitle } from '../../core/run/turn.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import type { Attention, AttentionState } from '../../wire/attention.ts';
import { type LiveView, liveUsage } from '../fold/fold-live-view.ts';
import { toProgramText } from '../fold/live-programs.ts';
import type { GateView, RunView, TurnView } from '../fold/run-view.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';
import { findChangedHook, toNextStep } from './next-step.ts';
import { listRedGates, toRedSince, toRedText } from './red-gates.ts';
import { isAsking, isSeen, isWaiting, type StatusFacts, toElapsedNow } from './running-report.ts';
import { isUntaken } from './turn-line.ts';

/** What a run needs of its person, the most urgent first. */
export const ATTENTION_STATES = [
  'needs_you',
  'stuck',
  'gate_red',
  'limit_near',
  'working',
  'done',
] as const satisfies readonly AttentionState[];

type Judge = (view: RunView, facts: StatusFacts) => Omit<Attention, 'state'> | null;

/** So many failed turns in a row are no accident any more. */
const FAILED_TURNS = 3;
/** From this part of a limit on it is near. */
const NEAR_SHARE = 0.8;
/** Sums of money are not exact. */
const ROUNDING = 1e-9;
/** From this part of the allowed silence on a turn is stuck. */
const SILENT_SHARE = 0.5;

const JUDGES: Readonly<Record<AttentionState, Judge>> = {
  needs_you: (view, facts) => judgeEnd(view, facts) ?? judgeProcess(view, facts) ?? judgeQuestions(view) ?? judgeHookFiles(view, facts),
  stuck: (view, facts) => judgeSilence(view, facts) ?? judgeStuckGate(view, facts) ?? judgeFailures(view, facts),
  gate_red: judgeGates,
  limit_near: judgeLimits,
  working: (view, facts) => (view.end !== null || isWaiting(view, facts) ? null : judgeWork(view, facts)),
  done: judgeDone,
};

/** The most urgent state that a run is in. A run that has ended needs its person or is done, and is nothing else. */
export function toAttention(view: RunView, facts: StatusFacts): Attention {
  for (const state of ATTENTION_STATES) {
    const found = view.end === null || state === 'needs_you' || state === 'done' ? JUDGES[state](view, facts) : null;
    if (found !== null) return { state, ...found };
  }
  return { state: 'working', evidence: 'It has not ended.', since: view.at, action: toWatchStep(view, facts) };
}

/** Every state that a run is in, the most urgent first; never empty. The first is that of {@link toAttention}. */
export function listAttention(view: RunView, facts: StatusFacts): readonly Attention[] {
  const all = ATTENTION_STATES.flatMap((state) => {
    const found = view.end === null || state === 'needs_you' || state === 'done' ? JUDGES[state](view, facts) : null;
    return found === null ? [] : [{ state, ...found }];
  });
  return all.length === 0 ? [toAttention(view, facts)] : all;
}

/** `needs you: builder asks …` */
export function toAttentionText({ state, evidence, action }: Attention): string {
  return `${toStateText(state)}: ${evidence}${action === '' ? '' : ` ${action}`}`;
}

/** `needs you` */
export function toStateText(state: AttentionState): string {
  return state.replace('_', ' ');
}

/** An end that only a person can lift. */
function judgeEnd(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const { end } = view;
  if (end === null || (end.reason !== 'parked' && (end.attention ?? '') === '')) return null;
  const what = end.attention === undefined || end.attention === '' ? toSentence(end.detail) : toSentence(end.attention);
  return { evidence: what, since: end.at, action: toNextStep(view, facts.isNewest !== false) };
}

function judgeProcess(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  if (view.end !== null || facts.isAlive) return null;
  return {
    evidence: 'It has not ended, but its process is gone.',
    since: view.at,
    action: `Go on with \`ralph resume${toRunWord(view, facts)}\`.`,
  };
}

function judgeQuestions({ questions }: RunView): Omit<Attention, 'state'> | null {
  const open = questions.filter(({ answer }) => answer === null);
  const [first] = open;
  if (first === undefined) return null;
  const more = open.length === 1 ? '' : ` (and ${open.length - 1} more)`;
  const choices = first.choices.map((choice) => toPlainLine(choice, 60)).join('|');
  return {
    evidence: `${first.hat} asks${more}: ${toSentence(first.text)}`,
    since: first.askedAt,
    action: `Answer with \`ralph answer ${first.id} ${choices}\`.`,
  };
}

/** What an agent made of a hook's file does not run: all that the hook is asked about is denied until a person has looked. */
function judgeHookFiles(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const changed = findChangedHook(view);
  if (changed === null) return null;
  const action = `Look at it; put it back, or accept it with \`ralph resume${toRunWord(view, facts)} --accept-changes\`.`;
  return { evidence: changed.text, since: changed.at, action };
}

function judgeSilence(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const turn = isSeen(facts) ? (facts.live?.turn ?? null) : null;
  if (turn === null || turn.idleTimeoutMs <= 0 || facts.live?.gates != null) return null;
  if (!view.turns.some((entry) => entry.status === 'running' && entry.iteration === turn.iteration && entry.attempt === turn.attempt))
    return null;
  if (isAsking(view, turn)) return null;
  const since = turn.lastOutputAt ?? turn.begunAt;
  // Its agent was not started yet: there is nobody to be silent.
  if (since === null) return null;
  const silentMs = facts.now - since;
  if (silentMs <= turn.idleTimeoutMs * SILENT_SHARE) return null;
  return {
    evidence: `${turn.hat} has been silent for ${toDurationText(silentMs)}; after ${toDurationText(turn.idleTimeoutMs)} the turn is ended.`,
    since,
    action: toLookStep(view, facts),
  };
}

/** A gate that was red so often that somebody was asked to resolve it, and has not passed since. */
function judgeStuckGate(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const notice = view.notices.findLast(({ code }) => code === 'gate-stuck');
  if (notice === undefined) return null;
  const red = listRedGates(view).filter(({ at }) => at >= notice.at);
  return red.length === 0 ? null : { evidence: toSentence(notice.text), since: notice.at, action: toGateStep(red[0], view, facts) };
}

function judgeFailures(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const { turns } = view;
  const end = turns.findLastIndex((turn) => (turn.status === 'succeeded' || turn.status === 'failed') && !isOwnFailure(turn));
  const failed = turns.slice(end + 1).filter(isOwnFailure);
  const [first] = failed;
  if (first === undefined || failed.length < FAILED_TURNS) return null;
  const last = failed.at(-1)?.failure?.message ?? '';
  return {
    evidence: `The last ${failed.length} turns failed: ${toSentence(last)}`,
    since: first.startedAt,
    action: toLookStep(view, facts),
  };
}

/** A rate limit or a usage limit says nothing about the work. */
function isOwnFailure({ status, failure }: TurnView): boolean {
  return status === 'failed' && failure?.class !== 'transient' && failure?.class !== 'limit';
}

function judgeGates(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const red = listRedGates(view);
  const [first] = red;
  if (first === undefined) return null;
  return {
    evidence: toRedText(view),
    since: Math.min(...red.map(({ gate }) => toRedSince(view, gate))),
    action: toGateStep(first, view, facts),
  };
}

function judgeLimits(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const { limits, totals, turns } = view;
  if (limits === null) return null;
  const action = `End it after the running turn with \`ralph stop${toRunWord(view, facts)}\`, or let it go on to the limit.`;
  const { maxIterations, maxCostUsd, maxRuntimeMs } = limits;
  if (isNearLimit(totals.iterations, maxIterations)) {
    const since = turns.findLast(({ status }) => status !== 'running')?.startedAt ?? view.at;
    return { evidence: `${totals.iterations} of ${maxIterations} turns are used.`, since, action };
  }
  const costUsd = (totals.usage.costUsd ?? 0) + (isSeen(facts) && facts.live ? (liveUsage(facts.live).costUsd ?? 0) : 0);
  if (maxCostUsd !== null && isNearLimit(costUsd, maxCostUsd))
    return { evidence: `${toUsdText(costUsd)} of ${toUsdText(maxCostUsd)} are spent.`, since: view.at, action };
  const elapsedMs = toElapsedNow(view, facts);
  if (!isNearLimit(elapsedMs, maxRuntimeMs)) return null;
  return {
    evidence: `${toDurationText(elapsedMs)} of ${toDurationText(maxRuntimeMs)} have passed.`,
    since: facts.now - (elapsedMs - maxRuntimeMs * NEAR_SHARE),
    action,
  };
}

/** Whether four fifths of a limit are used. A limit of zero or less is none that can come near. */
export function isNearLimit(used: number, limit: number): boolean {
  return limit > 0 && used >= limit * NEAR_SHARE - ROUNDING;
}

function judgeWork(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> {
  const { turns, waiting } = view;
  const action = toWatchStep(view, facts);
  if (view.status === 'parked' && waiting !== null)
    return {
      evidence: `It waits for the reset of a usage limit, ${toDurationText(waiting.dueAt - facts.now)} more.`,
      since: view.at,
      action,
    };
  const awaySince = isSeen(facts) ? facts.live?.awaySince : undefined;
  if (awaySince !== undefined)
    return {
      evidence: `The fleet has not answered for ${toDurationText(Math.max(0, facts.now - awaySince))}: the run waits for it.`,
      since: awaySince,
      action: `It waits for a minute or two; then \`ralph resume${toRunWord(view, facts)}\` goes on with it.`,
    };
  const running = turns.filter(({ status }) => status === 'running');
  const turn = running.at(-1);
  if (turn === undefined) return judgePause(view, facts);
  if (running.some((one) => isUntaken(one, facts.fleet))) return judgeUntaken(running, facts);
  if (running.length > 1) {
    const hats = new Set(running.map(({ hat }) => hat));
    const who = hats.size === running.length ? [...hats] : running.map((one) => toTurnTitle(one, one.hat));
    const names = toList(who, 4);
    return {
      evidence: `${hats.size === running.length ? names : toSentenceStart(names)} work at the same time.`,
      since: turn.startedAt,
      action,
    };
  }
  return { evidence: `${turn.hat} works in turn ${turn.iteration}.`, since: turn.startedAt, action };
}

/** No turn runs: what the next one waits for. */
function judgePause(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> {
  const live = isSeen(facts) ? (facts.live ?? null) : null;
  const programs = live?.programs ?? [];
  const program = programs.find(({ worker }) => worker === null) ?? programs[0];
  if (program === undefined) return { ...toOwnPause(view, facts, live), action: toWatchStep(view, facts) };
  const { worker, labels, since } = program;
  const took = toDurationText(Math.max(0, facts.now - since));
  const more = programs.length === 1 ? '' : ` (and ${programs.length - 1} more)`;
  return {
    evidence: `${toProgramText(program)}, for ${took}${more}.`,
    since,
    action:
      worker === null
        ? `See which workers there are with \`ralph fleet\`, or start one: \`ralph worker --labels ${labels.join(',')}\`.`
        : toWatchStep(view, facts),
  };
}

/** Gates or hooks where the run is, or somewhere that cannot be seen from here. */
function toOwnPause({ at, gates }: RunView, { now }: StatusFacts, live: LiveView | null): Pick<Attention, 'evidence' | 'since'> {
  const since = live?.gates?.since ?? live?.asking?.since ?? at;
  const took = toDurationText(Math.max(0, now - since));
  if (live?.gates != null) {
    const names = toList(
      live.gates.gates.map((index) => toPlainLine(gates[index] ?? `#${index}`, 60)),
      3,
    );
    return { evidence: `It waits for ${live.gates.gates.length === 1 ? 'the gate' : 'the gates'} ${names}, for ${took}.`, since };
  }
  if (live?.asking !== undefined) return { evidence: `It waits for hooks of ${live.asking.event}, for ${took}.`, since };
  return { evidence: 'It is between two turns.', since };
}

/** Turns that no worker has begun: those that wait, and since when. */
function judgeUntaken(running: readonly TurnView[], facts: StatusFacts): Omit<Attention, 'state'> {
  const waiting = running.filter((turn) => isUntaken(turn, facts.fleet));
  const since = Math.min(...waiting.map(({ startedAt }) => startedAt));
  const turns = waiting.map((turn) => toTurnTitle(turn, turn.hat));
  const others = running.length - waiting.length;
  const beside = others === 0 ? '' : ` ${others} at work meanwhile.`;
  const who = toSentenceStart(`${toList(turns, 4)} ${turns.length === 1 ? 'waits' : 'wait'}`);
  return {
    evidence: `${who} for a worker of the fleet, for ${toDurationText(Math.max(0, facts.now - since))}: none has begun.${beside}`,
    since,
    action: 'See which workers there are with `ralph fleet`.',
  };
}

function judgeDone(view: RunView, facts: StatusFacts): Omit<Attention, 'state'> | null {
  const { end } = view;
  if (end === null) return null;
  return { evidence: toEndText(view, end), since: end.at, action: toNextStep(view, facts.isNewest !== false) };
}

/** Of a run that was stopped: by whom, and where it was then. */
function toEndText({ turns }: RunView, { reason, detail }: NonNullable<RunView['end']>): string {
  const [, by] = /^stopped by (.+)$/s.exec(detail) ?? [];
  if (by === undefined) return END_REASONS[reason].text;
  const last = turns.at(-1);
  const where = last === undefined ? '' : `${last.status === 'interrupted' ? ' in the midst of' : ' after'} turn ${last.iteration}`;
  return `Stopped by ${toPlainLine(by, 200)}${where}.`;
}

function toWatchStep(view: RunView, facts: StatusFacts): string {
  if (facts.isUnseen === true) return 'Its process cannot be seen from here: look where it was started.';
  return `Watch it with \`ralph show${toRunWord(view, facts)} --follow\`.`;
}

function toLookStep(view: RunView, facts: StatusFacts): string {
  return `See what it does: \`ralph show${toRunWord(view, facts)}\`.`;
}

/** Its output, where it was kept. */
function toGateStep(gate: GateView | undefined, view: RunView, facts: StatusFacts): string {
  return gate?.evidence == null ? 'See it: `ralph gates --run`.' : `See its output: \`ralph review${toRunWord(view, facts)} --full\`.`;
}

function toRunWord({ runId }: RunView, { isNewest }: StatusFacts): string {
  return isNewest === false ? ` ${runId}` : '';
}

/** One sentence of a text that somebody else wrote, on one line. */
function toSentence(text: string): string {
  const line = toPlainLine(text, 400).trim();
  if (line === '') return 'It does not say why.';
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
