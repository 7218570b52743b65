import { RalphError } from '../../core/values/errors.ts';
import { type RunElsewhere, toWhereText } from '../../views/report/elsewhere-report.ts';

/**
 * What becomes of an event that is written in the folder of a run that is not here: nobody else reads that file.
 *
 * @throws RalphError `emit-run-over` where it is complete
 */
export function toDelivery(away: RunElsewhere & { readonly runId: string }): string {
  const { runId, state } = away;
  if (state === 'ended')
    throw new RalphError({
      code: 'emit-run-over',
      what: `Run ${runId} ${toWhereText(away)}; nobody gets the event.`,
      why: 'A completed run cannot be continued.',
      fix: `Bring it home: ralph resume ${runId}`,
    });
  const where = {
    held: `The run ${toWhereText(away)}, where nobody reads this`,
    lost: `The run ${toWhereText(away)}; a worker that takes it does not read this`,
    left: 'Nobody has the run now; a worker that takes it does not read this',
    free: `The run ${toWhereText(away)}`,
    unasked: 'The run may go on elsewhere, where nobody reads this: its fleet cannot be asked now',
  }[state];
  return `${where}. It is read when the run continues in this folder, if it has not completed by then: \`ralph resume ${runId}\``;
}
