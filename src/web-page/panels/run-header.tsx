import type { RunFrame } from '../../wire/run-frame.ts';
import { AttentionBadge, WordBadge } from '../parts/attention-view.tsx';
import { toCostText, toTimeOfDay, toTimeText, toTurnNumber } from '../parts/words.ts';

interface RunHeaderProps {
  readonly frame: RunFrame;
  /** Why no news arrive; `null`: they do. */
  readonly problem: string | null;
  /** When it was looked at, of a run that is not followed: a file; else `null`. */
  readonly asOf: number | null;
  /** Whether the run has ended by now. */
  readonly isOver: boolean;
  /** See `PageSource`. */
  readonly damage: string | null;
}

/** What a run is, and how far: state, turns, time, cost. */
export function RunHeader({ frame, problem, asOf, isOver, damage }: RunHeaderProps) {
  const { progress, attention, state, title, runId, fleet } = frame;
  const { iterations, maxIterations, failedTurns } = progress;
  // One word for how it is: of a run that waits for its person that says what it needs, too.
  const isUrgent = attention.state !== 'working' && attention.state !== 'done' && state !== 'waiting';
  return (
    <header class="run-header">
      <h1>{title === '' ? runId : title}</h1>
      <p class="facts-line">
        <WordBadge frame={frame} />{' '}
        {isUrgent && <AttentionBadge state={attention.state} run={{ state, reason: frame.end?.reason ?? null }} />}
        <Meter
          label="turns"
          text={`turn ${toTurnNumber(frame)}${maxIterations === null ? '' : ` of ${maxIterations}`}`}
          hint={`${iterations}${maxIterations === null ? '' : ` of ${maxIterations}`} turns used`}
          share={toShare(iterations, maxIterations)}
        />
        <Meter label="time" text={toTimeText(progress)} share={toShare(progress.elapsedMs, progress.maxRuntimeMs)} />
        <Meter label="cost" text={toCostText(progress)} share={toShare(progress.costUsd ?? 0, progress.maxCostUsd)} />
        {failedTurns > 0 && <span>{failedTurns} failed</span>}
        {fleet !== null && <span title={fleet}>on a fleet</span>}
        <span class="faint">{runId}</span>
      </p>
      {problem !== null && (
        <p class="problem" role="status">
          {problem}
        </p>
      )}
      {damage !== null && <p class="problem">Damaged, and shown as far as it can be read: {damage}.</p>}
      {asOf !== null && (
        <p class="past">
          A snapshot of {new Date(asOf).toDateString()}, {toTimeOfDay(asOf).slice(0, 5)}
          {isOver ? '.' : ': the run had not ended, and this file does not follow it.'}
        </p>
      )}
      {!frame.isNow && (
        <p class="past" role="status">
          PAST: everything below is as it was at input {frame.seq} of {frame.lastSeq}, {toTimeOfDay(frame.at)}. Nothing can be told or
          stopped from here.
        </p>
      )}
    </header>
  );
}

function toShare(used: number, limit: number | null): number | null {
  return limit === null || limit <= 0 ? null : Math.min(1, used / limit);
}

interface MeterProps {
  readonly label: string;
  readonly text: string;
  readonly share: number | null;
  readonly hint?: string;
}

function Meter({ label, text, share, hint }: MeterProps) {
  return (
    <span class="meter" {...(hint !== undefined && { title: hint })}>
      <span>{text}</span>
      {share !== null && <meter aria-label={`${label} used of its limit`} value={share} min={0} max={1} high={0.8} />}
    </span>
  );
}
