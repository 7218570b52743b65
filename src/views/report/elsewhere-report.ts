import { toSentenceStart } from '../../core/run/turn.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunView } from '../fold/run-view.ts';
import type { FactRow, RunReport } from '../text/fact-rows.ts';
import { toPlainLine } from '../text/plain-text.ts';

/** Where a run of a folder went on, by what the fleet that keeps it says. */
export interface RunElsewhere {
  /** As of its lease; `lost`: whoever had it there says nothing any more; `left`: nobody had it but the process here that is gone; `unasked`: the fleet could not be asked. */
  readonly state: 'held' | 'lost' | 'left' | 'free' | 'ended' | 'unasked';
  /** The machine, and the worker, that has it or had it last; empty, `null` where that is not known, or a person's process has it. */
  readonly host: string;
  readonly worker: string | null;
  /** The address of the fleet, without who asks. */
  readonly fleet: string;
  /** What names the fleet to a command: `--fleet`, or `--fleet file:/folder` where the environment does not say it. */
  readonly option: string;
  /** A worker takes it when nobody has renewed it for so long. */
  readonly lostAfterMs: number;
  /** Whether a worker is there that may. */
  readonly hasWorkers: boolean;
}

/** `with the worker w2 on desk`, `on desk` */
export function toElsewhereText({ worker, host }: Pick<RunElsewhere, 'worker' | 'host'>): string {
  return `${worker === null ? '' : `with the worker ${toPlainLine(worker, 60)} `}on ${toPlainLine(host, 60)}`;
}

/** Where a run is, behind its name: `goes on …`, `went on …, which is lost`; not of one that nobody else had. */
export function toWhereText(elsewhere: Pick<RunElsewhere, 'state' | 'worker' | 'host'>): string {
  const place =
    elsewhere.state === 'lost' && elsewhere.worker === null ? `in a process ${toElsewhereText(elsewhere)}` : toElsewhereText(elsewhere);
  if (elsewhere.state === 'held') return `goes on ${place}`;
  return `went on ${place}, ${elsewhere.state === 'lost' ? 'which is lost' : elsewhere.state === 'free' ? 'and was stopped there' : 'and is complete'}`;
}

/** Who goes on with a run that nobody has. */
function toTakers({ lostAfterMs, hasWorkers }: Pick<RunElsewhere, 'lostAfterMs' | 'hasWorkers'>, resume: string): string {
  const here = `continue it here: ${resume}.`;
  return hasWorkers
    ? `A worker that continues lost runs takes it within ${Math.round(lostAfterMs / 1000)} s, if there is one (\`ralph fleet\`). Or ${here}`
    : `No worker is there that could take it. Start one (\`ralph worker\`), or ${here}`;
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
  const home = `\`ralph resume ${runId}\` brings it home`;
  switch (elsewhere.state) {
    case 'held':
      return { state: 'working', evidence: `It ${toWhereText(elsewhere)}.`, since: at, action: toAwaySteps(runId, elsewhere) };
    case 'lost':
    case 'left': {
      const evidence =
        elsewhere.state === 'lost'
          ? `It ${toWhereText(elsewhere)}. Nobody has it now.`
          : 'It has not ended, but its process is gone. Nobody has it now.';
      return { state: 'needs_you', evidence, since: at, action: toTakers(elsewhere, `\`ralph resume ${runId}\``) };
    }
    case 'free':
      return {
        state: 'needs_you',
        evidence: `It ${toWhereText(elsewhere)}.`,
        since: at,
        action: `${home}, and goes on with it.`,
      };
    case 'ended':
      return { state: 'needs_you', evidence: `It ${toWhereText(elsewhere)}.`, since: at, action: `${home}.` };
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
  // One that is complete asks nobody any more.
  const gone = elsewhere.state === 'ended' ? ['State', 'Next', 'Asks'] : ['State', 'Next'];
  const known = report.rows.filter(({ label }) => !gone.includes(label));
  const rows = known.map((row) => (row.label === 'Now' ? { ...row, label: 'Then' } : row));
  const resume = `\`ralph resume${isNewest ? '' : ` ${runId}`}\``;
  const toReport = (headline: string, next: string, more: readonly FactRow[] = []): RunReport => ({
    headline,
    isGood: elsewhere.state !== 'free' && elsewhere.state !== 'lost',
    rows: [...more, ...rows, { label: 'Next', text: next }],
  });
  switch (elsewhere.state) {
    case 'held':
      return toReport(
        `Run ${runId} ${toWhereText(elsewhere)}; what is here is of when it left.`,
        `${toAwaySteps(runId, elsewhere)} When it has ended there, ${resume} brings it home.`,
      );
    case 'lost':
      return toReport(
        `Run ${runId} has not ended, but nobody has it now: it ${toWhereText(elsewhere)}. What is here is of when it left.`,
        toTakers(elsewhere, resume),
      );
    case 'left': {
      // What is here is all that there is of it.
      const kept = report.rows.filter(({ label }) => label !== 'Next' && label !== 'State');
      return { ...report, rows: [...kept, { label: 'Next', text: toTakers(elsewhere, resume) }] };
    }
    case 'free':
      return toReport(`Run ${runId} ${toWhereText(elsewhere)}.`, `${resume} brings it home, and goes on with it.`);
    case 'ended':
      return toReport(`Run ${runId} ${toWhereText(elsewhere)}.`, `${resume} brings it home.`);
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
