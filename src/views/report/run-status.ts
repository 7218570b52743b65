import { END_REASONS } from '../../core/run/end-reasons.ts';
import type { Attention } from '../../wire/attention.ts';
import type { LiveView } from '../fold/fold-live-view.ts';
import { toProof } from '../fold/fold-proof.ts';
import type { RunProof, RunView } from '../fold/run-view.ts';
import type { RunReport } from '../text/fact-rows.ts';
import { toAttention, toAttentionText } from './attention.ts';
import { type RunElsewhere, toElsewhereAttention, toElsewhereReport } from './elsewhere-report.ts';
import { toRunReport } from './run-report.ts';
import { isSeen, type StatusFacts, toElapsedNow, toRunningReport } from './running-report.ts';

/** One screen on a run, under way or ended. */
export function toRunStatus(view: RunView, facts: StatusFacts): RunReport {
  const { elsewhere = null, isNewest = true } = facts;
  const report = toReportHere(view, facts);
  return elsewhere === null ? report : toElsewhereReport(view, report, elsewhere, isNewest);
}

function toReportHere(view: RunView, facts: StatusFacts): RunReport {
  if (view.end !== null) return toRunReport(view, facts);
  const report = toRunningReport(view, facts);
  // The report of an end says it already.
  return { ...report, rows: [{ label: 'State', text: toAttentionText(toAttention(view, facts)) }, ...report.rows] };
}

/** What `ralph status --format json` says of a run. */
export interface StatusRecord extends RunView {
  readonly v: 1;
  /** Whether its process is seen to be there. */
  readonly isAlive: boolean;
  /** Whether it may be there, but nothing of where it runs can be seen from here. */
  readonly isUnseen: boolean;
  /** Of the command that ran it; `null` while it has not ended. */
  readonly exitCode: number | null;
  /** Whether its completion is proven; `null` where it has not completed. */
  readonly proof: RunProof | null;
  /** The address of the fleet whose workers take its turns; `null` where they are taken where the run is. */
  readonly fleet: string | null;
  /** Where it went on, as its fleet says; `null` where it is here. */
  readonly elsewhere: Pick<RunElsewhere, 'state' | 'host' | 'worker' | 'fleet'> | null;
  /** What its turn does at this moment; `null` where nobody knows. */
  readonly live: LiveView | null;
  /** What it needs of its person, and why. */
  readonly attention: Attention;
}

/** A run for programs: its view, with what is known beside the journal. */
export function toStatusRecord(view: RunView, facts: StatusFacts): StatusRecord {
  const { isUnseen = false, fleet = null, live = null, elsewhere = null } = facts;
  const isAlive = isSeen(facts);
  const exitCode = view.end === null ? null : END_REASONS[view.end.reason].exitCode;
  const proof = toProof(view);
  return {
    v: 1,
    isAlive,
    isUnseen,
    fleet,
    elsewhere: elsewhere === null ? null : toElsewhereRecord(elsewhere),
    exitCode,
    proof,
    ...view,
    turns: view.turns.map(({ gatesDue: _, ...turn }) => turn),
    elapsedMs: toElapsedNow(view, facts),
    live: isAlive ? live : null,
    attention: (elsewhere === null ? null : toElsewhereAttention(view, elsewhere)) ?? toAttention(view, facts),
  };
}

/** The place of a run that went on elsewhere, for programs. */
export function toElsewhereRecord({ state, host, worker, fleet }: RunElsewhere): NonNullable<StatusRecord['elsewhere']> {
  return { state, host, worker, fleet };
}

/** The end as the run itself tells it: where the disk is full, the journal could not. */
export function toEndedView(view: RunView, { reason, detail }: Pick<NonNullable<RunView['end']>, 'reason' | 'detail'>): RunView {
  return { ...view, status: 'ended', end: view.end ?? { reason, detail, at: view.at } };
}
