import { TOPIC_CONTINUE } from '../../core/events/reserved.ts';
import { END_REASONS } from '../../core/run/end-reasons.ts';
import type { WorkState } from '../../core/run/work-state.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { toProof } from '../fold/fold-proof.ts';
import type { RunView } from '../fold/run-view.ts';
import { type FactRow, type RunReport, toRow, toRows } from '../text/fact-rows.ts';
import {
  toCount,
  toCountedList,
  toFirstLine,
  toIterationsText,
  toList,
  toNumberText,
  toPlainLine,
  toSpentText,
} from '../text/plain-text.ts';
import { toChangedTexts, toFateRows, toUncommittedRows } from './change-text.ts';
import {
  toBaseline,
  toChangedChecks,
  toChangedPackages,
  toChangedTests,
  toEvidence,
  toIdleClaims,
  toLostTests,
  toRefusals,
  toUnseenCauses,
} from './evidence.ts';
import { toNextStep, toPersonNotes } from './next-step.ts';
import { toKeptText, toShortfallText } from './panel-text.ts';
import { toLeftQuestionRows, toTellRows } from './people-rows.ts';
import { findConflict, toFleetText } from './turn-line.ts';
import type { WorkFacts } from './work-facts.ts';

/** What is known beside the journal. */
export interface ReportFacts {
  /** What is known beside the journal; absent where nobody looked. */
  readonly facts?: WorkFacts | null;
  /** What of its journal cannot be read, in words; absent or `null`: nothing. */
  readonly damage?: string | null;
  /** Whether the run is the one that a command without a run means; true by default. */
  readonly isNewest?: boolean;
  /** Whether its turns are listed beside it: then the report need not say how to see them. */
  readonly isOverview?: boolean;
  /** Whether to say what to type next; true by default. */
  readonly tellsNext?: boolean;
  /** Whether one turn was asked for: then the limit of one turn is its normal end. */
  readonly isOneTurn?: boolean;
}

const UNSURE = 'as far as installed packages can be trusted, which changed (Flagged)';
const MAX_ROWS = { evidence: 4, flagged: 2, refused: 3, person: 3, panel: 3 };

/** Why a run ended, what was asked, what was done with which evidence, what was refused, what it cost, what needs the person, what to type next. */
export function toRunReport(view: RunView, facts: ReportFacts = {}): RunReport {
  if (facts.isOneTurn === true && isTurnDone(view)) return toTurnReport(view, facts);
  const isGood = toProof(view)?.isProven === true;
  const packages = view.end === null || view.gates.length === 0 || facts.facts == null ? [] : toChangedPackages(facts.facts);
  const rows: FactRow[] = [
    ...toRows('Damaged', facts.damage == null ? [] : [facts.damage]),
    ...toRows('Flagged', toChangedTests(view)),
    ...toRows('Flagged', packages),
    ...toRows('Flagged', view.end === null || view.gates.length === 0 ? [] : toChangedChecks(facts.facts?.changed?.files ?? [])),
    ...toRows('Flagged', toUnseenCauses(view, facts.facts?.changed?.count ?? null)),
    ...toRows('Why', toReasonTexts(view)),
    ...toFateRows(facts.facts ?? null),
    { label: 'Asked', text: toFirstLine(view.objective, 160) },
    { label: 'Done', text: toDoneText(view) },
    ...toRow('Fleet', toFleetText(view, null)),
    ...toRows('Panel', limitTo(toShortfalls(view), MAX_ROWS.panel)),
    ...toLeftQuestionRows(view),
    ...toTellRows(view),
    ...toRows('Evidence', [...toEvidenceTexts(view), ...toLostTests(view), ...toBaseline(view), ...packages.map(() => UNSURE)]),
    ...toRows('Flagged', limitTo(toIdleClaims(view), MAX_ROWS.flagged)),
    ...toRows('Changed', toChangedTexts(facts.facts?.changed ?? null)),
    ...toRows('Commits', toCommitTexts(view, facts.facts?.place?.state?.commits ?? null)),
    ...toRows('Refused', limitTo(toRefusals(view), MAX_ROWS.refused)),
    { label: 'Cost', text: toSpentText(view.totals.usage, view.totals.unknownCostTurns) },
    ...toRows('Left', toLeftTexts(view)),
    ...toUncommittedRows(facts.facts?.place ?? null),
    ...toRows('You', limitTo(toPersonNotes(view), MAX_ROWS.person)),
    ...toRows(
      'Next',
      facts.tellsNext === false ? [] : [toNextStep(view, facts.isNewest ?? true, facts.isOverview)].filter((step) => step !== ''),
    ),
  ];
  return { headline: toHeadline(view), isGood, rows };
}

/** Whether a run of one turn has done that turn. */
export function isTurnDone(view: RunView): boolean {
  return view.end?.reason === 'max_iterations' && view.turns.at(-1)?.status === 'succeeded';
}

function toTurnReport(view: RunView, facts: ReportFacts): RunReport {
  const { rows } = toRunReport(view, { ...facts, isOneTurn: false, tellsNext: false });
  const left = rows.filter((row) => row.label !== 'Why' && row.label !== 'Left');
  return { headline: `One turn done in ${toDurationText(view.elapsedMs)}.`, isGood: true, rows: left };
}

/** `Completed after 6 iterations in 4 min 12 s.` */
function toHeadline(view: RunView): string {
  const after = `after ${toIterationsText(view.totals)} in ${toDurationText(view.elapsedMs)}`;
  if (view.end === null) return `Under way ${after}.`;
  if (view.end.attention !== undefined) return `Needs you (${view.end.reason}) ${after}: ${toPlainLine(view.end.attention, 200)}.`;
  if (view.end.reason !== 'completed') return `Not completed (${view.end.reason}) ${after}.`;
  return toProof(view)?.isProven === true ? `Completed ${after}.` : `Completed, unproven ${after}.`;
}

function limitTo(texts: readonly string[], limit: number): readonly string[] {
  return texts.length <= limit ? texts : [...texts.slice(0, limit - 1), `and ${texts.length - limit + 1} more; see \`ralph events\``];
}

function toReasonTexts(view: RunView): readonly string[] {
  if (view.end === null) return [];
  const { reason } = view.end;
  const detail = toPlainLine(view.end.detail, 300).replace(/\.$/, '');
  // A run is stopped by a person, or by a queue that reaches its limit.
  if (reason === 'interrupted' && detail.startsWith('stopped by ')) return [`The run was ${detail}.`];
  // The signal is in the text of the reason, or what it means.
  if ((reason === 'terminated' || reason === 'hangup') && /^stopped by (?:SIGTERM|SIGHUP)$/.test(detail)) return [END_REASONS[reason].text];
  // Without gates, "no gate refused" would be true but mean nothing.
  const text = reason === 'completed' && view.gates.length === 0 ? '' : END_REASONS[reason].text;
  if (detail === '') return [text];
  return [text === '' ? `${detail}.` : `${text.replace(/\.$/, '')}: ${detail}.`];
}

function toDoneText(view: RunView): string {
  const hats = [...new Set(view.turns.map((turn) => turn.hat))];
  if (hats.length === 0) return 'nothing: no agent was started';
  return `${toList(
    hats.map((hat) => toTurnsText(view, hat)),
    8,
  )}; ${toCount(view.totals.routed, 'event')} routed`;
}

/** `builder 4 turns (1 failed, 1 done again, 1 interrupted)` */
function toTurnsText(view: RunView, hat: string): string {
  const turns = view.turns.filter((turn) => turn.hat === hat);
  const words = turns.flatMap((turn) => {
    if (turn.status === 'failed') return findConflict(turn)?.isGivenAgain === true ? 'done again' : 'failed';
    return turn.status === 'interrupted' ? 'interrupted' : [];
  });
  const trouble = (['failed', 'done again', 'interrupted'] as const)
    .map((word) => ({ word, count: words.filter((other) => other === word).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`);
  return `${hat} ${toCount(turns.length, 'turn')}${trouble.length === 0 ? '' : ` (${trouble.join(', ')})`}`;
}

function toEvidenceTexts(view: RunView): readonly string[] {
  const evidence = limitTo(toEvidence(view), MAX_ROWS.evidence);
  const proof = toProof(view);
  if (proof?.isProven === false) return evidence.length === 0 ? [`none: ${proof.reason}`] : [...evidence, `unproven: ${proof.reason}`];
  if (evidence.length > 0) return evidence;
  return [view.gates.length === 0 ? 'none: no gate is configured, so the agents’ word is all there is' : 'none: no gate was run'];
}

function toCommitTexts(view: RunView, commits: WorkState['commits']): readonly string[] {
  if (commits !== null && commits.count > 0) {
    const names = commits.newest.slice(0, 3).map(({ commit, subject }) => `${commit.slice(0, 10)} ${toPlainLine(subject, 60)}`);
    return [`${toNumberText(commits.count)}, the newest first: ${names.join('; ')}${commits.count > names.length ? '; …' : ''}`];
  }
  const made = view.checkpoints.filter((checkpoint) => checkpoint.commit !== null);
  const points = made.map((checkpoint) => `${checkpoint.commit?.slice(0, 10)} (after iteration ${checkpoint.iteration})`);
  if (points.length === 0) return [];
  return [points.length <= 3 ? points.join(', ') : `${points.length} checkpoints, the last ${points.at(-1)}`];
}

function toLeftTexts(view: RunView): readonly string[] {
  const { undelivered } = view;
  const pending = view.pending.filter((event) => event.topic !== TOPIC_CONTINUE);
  const name = ({ topic, hat }: { readonly topic: string; readonly hat: string | null }): string =>
    hat === null ? topic : `${topic} for ${hat}`;
  const events = undelivered.length > 0 ? undelivered : pending;
  const what = undelivered.length > 0 ? 'not delivered any more' : 'waits for the next resume';
  return [...toNeverStarted(view), ...toKeptPanels(view), ...(events.length > 0 ? [`${what}: ${toCountedList(events.map(name), 4)}`] : [])];
}

/** Panels of which fewer answered than were asked. */
function toShortfalls({ turns }: RunView): readonly string[] {
  return turns.flatMap(({ hat, panel }) => {
    const text = panel === null || panel.outcome === null ? '' : toShortfallText(panel);
    return text === '' ? [] : [`${hat}: ${text}`];
  });
}

/** The panel with which a resume goes on. */
function toKeptPanels({ turns }: RunView): readonly string[] {
  const last = turns.at(-1);
  if (last?.status !== 'interrupted' || last.panel === null || last.panel.outcome !== null) return [];
  return [`the panel of ${last.hat}: ${toKeptText(last.panel)}`];
}

/** Hats that were called and whose agent could not be started even once. */
function toNeverStarted(view: RunView): readonly string[] {
  const hats = [...new Set(view.turns.filter((turn) => turn.failure?.class === 'spawn').map((turn) => turn.hat))];
  const never = hats.filter((hat) => view.turns.every((turn) => turn.hat !== hat || turn.failure?.class === 'spawn'));
  return never.map((hat) => {
    const why = view.turns.findLast((turn) => turn.hat === hat)?.failure?.message ?? '';
    return `${hat} never started: ${toPlainLine(why, 200)}`;
  });
}
