import { END_REASONS, toUsdText } from '../core/index.ts';
import type { RunView } from './run-view.ts';

/** What a person can do next, with the exact command; empty where nothing is to be done. */
export function toNextSteps(view: RunView): readonly string[] {
  if (view.end === null) return ['ralph status', 'ralph stop'];
  if (view.end.reason === 'completed')
    return [`Look at the work: \`ralph show ${view.runId}\`${view.checkpoints.some((made) => made.commit !== null) ? ', `git log`' : ''}.`];
  const { next } = END_REASONS[view.end.reason];
  return next === '' ? [`See what happened: \`ralph show ${view.runId}\`.`] : [toExactCommand(next, view)];
}

/** A limit of cost in numbers: twice the one that is used up. */
function toExactCommand(next: string, view: RunView): string {
  const limitUsd = view.limits?.maxCostUsd ?? null;
  return limitUsd === null ? next : next.replace('--max-cost USD', `--max-cost ${String(Number((limitUsd * 2).toFixed(2)))}`);
}

/** What the person should know or decide: nobody else can. */
export function toPersonNotes(view: RunView): readonly string[] {
  return [...toSignInNotes(view), ...toGateNotes(view), ...toCheckpointNotes(view), ...toCostNotes(view), ...toRefusalNotes(view)];
}

function toSignInNotes(view: RunView): readonly string[] {
  const last = view.turns.at(-1);
  if (last?.failure?.class === 'auth') return [`${last.backend} is not signed in or its key is refused; see \`ralph doctor\`.`];
  if (last?.failure?.class === 'spawn') return [`${last.backend || last.hat} could not be started; see \`ralph doctor\`.`];
  return [];
}

function toGateNotes(view: RunView): readonly string[] {
  if (view.end?.reason === 'completed' || view.gateCount > 0) return [];
  return view.end === null || view.totals.succeeded === 0
    ? []
    : ['No gate is configured: nothing but the agents’ own words tells whether the work is right.'];
}

function toCheckpointNotes(view: RunView): readonly string[] {
  const leftOut = [...new Set(view.checkpoints.flatMap((made) => made.leftOut))];
  const notes =
    leftOut.length === 0
      ? []
      : [
          `Not committed, because you had changed them before the run: ${leftOut.slice(0, 5).join(', ')}${leftOut.length > 5 ? ', …' : ''}.`,
        ];
  const failed = view.checkpoints.findLast((made) => made.commit === null && made.note !== '');
  return failed === undefined || view.checkpoints.some((made) => made.commit !== null)
    ? notes
    : [...notes, `No checkpoint was made: ${failed.note}`];
}

function toCostNotes(view: RunView): readonly string[] {
  const limitUsd = view.limits?.maxCostUsd ?? null;
  if (limitUsd === null || view.totals.unknownCostTurns === 0) return [];
  return [`The limit of ${toUsdText(limitUsd)} could not be kept exactly: not every agent reports its cost.`];
}

function toRefusalNotes(view: RunView): readonly string[] {
  const untaken = [...new Set(view.notices.filter((notice) => notice.code === 'untaken-event').map((notice) => notice.text))];
  return untaken.slice(0, 2);
}
