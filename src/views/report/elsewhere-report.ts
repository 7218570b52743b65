import { toSentenceStart } from '../../core/run/turn.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunView } from '../fold/run-view.ts';
import type { FactRow, RunReport } from '../text/fact-rows.ts';
import { toPlainLine } from '../text/plain-text.ts';

/** Where a run of a folder went on, by what the fleet that keeps it says. */
export interface RunElsewhere {
  /** As of its lease; `unasked`: the fleet could not be asked. */
  readonly state: 'held' | 'free' | 'ended' | 'unasked';
  /** The machine, and the worker, that has it or had it last; empty, `null` where that is not known, or a person's process has it. */
  readonly host: string;
  readonly worker: string | null;
  /** The address of the fleet, without who asks. */
  readonly fleet: string;
  /** What names the fleet to a command: `--fleet`, or `--fleet file:/folder` where the environment does not say it. */
  readonly option: string;
}

/** `with the worker w2 on desk`, `on desk` */
export function toElsewhereText({ worker, host }: Pick<RunElsewhere, 'worker' | 'host'>): string {
  return `${worker === null ? '' : `with the worker ${toPlainLine(worker, 60)} `}on ${toPlainLine(host, 60)}`;
}

/** Why nobody heard what was said to a run. */
export function toUnheardText(unansweredMs: number | null): string {
  if (unansweredMs === null) return 'nobody has the run now';
  return `the process that has the run lives, and did not answer within ${Math.round(unansweredMs / 1000)} s`;
}

/** The commands by which a run that goes on elsewhere is seen and steered, as a person can type them. */
function toAwaySteps(runId: string, { option }: Pick<RunElsewhere, 'option'>): string {
  const name = (command: string): string => `\`ralph ${command} ${runId}${command === 'tell' ? ' "…"' : ''} ${option}\``;
  return `See it: ${name('status')} or ${name('watch')}. Steer it: ${name('tell')}, ${name('stop')}.`;
}

/**
 * What a run that went on elsewhere needs of its person; `null` where its fleet could not be asked: then what is here counts.
 *
 * @param at the last that is here of it
 */
export function toElsewhereAttention({ runId, at }: Pick<RunView, 'runId' | 'at'>, elsewhere: RunElsewhere): Attention | null {
  const place = toElsewhereText(elsewhere);
  const home = `\`ralph resume ${runId}\` brings it home`;
  switch (elsewhere.state) {
    case 'held':
      return { state: 'working', evidence: `It goes on ${place}.`, since: at, action: toAwaySteps(runId, elsewhere) };
    case 'free':
      return {
        state: 'needs_you',
        evidence: `It went on ${place}, and was stopped there.`,
        since: at,
        action: `${home}, and goes on with it.`,
      };
    case 'ended':
      return { state: 'needs_you', evidence: `It went on ${place}, and is complete.`, since: at, action: `${home}.` };
    case 'unasked':
      return null;
  }
}

/** The report of a run, by what is here of it, with where it is. What is here says nothing of what to do with it. */
export function toElsewhereReport(
  { runId }: Pick<RunView, 'runId'>,
  report: RunReport,
  elsewhere: RunElsewhere,
  isNewest: boolean,
): RunReport {
  const known = report.rows.filter(({ label }) => label !== 'State' && label !== 'Next');
  const rows = known.map((row) => (row.label === 'Now' ? { ...row, label: 'Then' } : row));
  const place = toElsewhereText(elsewhere);
  const resume = `\`ralph resume${isNewest ? '' : ` ${runId}`}\``;
  const toReport = (headline: string, next: string, more: readonly FactRow[] = []): RunReport => ({
    headline,
    isGood: elsewhere.state !== 'free',
    rows: [...more, ...rows, { label: 'Next', text: next }],
  });
  switch (elsewhere.state) {
    case 'held':
      return toReport(
        `Run ${runId} goes on ${place}; what is here is of when it left.`,
        `${toAwaySteps(runId, elsewhere)} When it has ended there, ${resume} brings it home.`,
      );
    case 'free':
      return toReport(`Run ${runId} went on ${place}, and was stopped there.`, `${resume} brings it home, and goes on with it.`);
    case 'ended':
      return toReport(`Run ${runId} went on ${place}, and is complete.`, `${resume} brings it home.`);
    case 'unasked':
      return {
        ...report,
        headline: report.headline === '' ? `Run ${runId} may go on elsewhere.` : report.headline,
        rows: [
          ...report.rows,
          {
            label: 'Fleet',
            text: toSentenceStart(
              `its fleet at ${toPlainLine(elsewhere.fleet, 200)} cannot be asked now: the run may go on elsewhere. Where: \`ralph fleet runs ${runId} --nats URL\`, with the login in the address where it needs one.`,
            ),
          },
        ],
      };
  }
}
