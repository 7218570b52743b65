import { END_REASONS, FLEET_REPLACED, FLEET_UNASKED, TAKEN_ELSEWHERE } from '../../core/run/end-reasons.ts';
import { toTurnName } from '../../core/run/turn.ts';
import { toUsdText } from '../../core/text/duration.ts';
import { toShellWord, toWayBack } from '../../core/text/shell-word.ts';
import type { RunView, TurnView } from '../fold/run-view.ts';
import { toPathText, toPlainLine } from '../text/plain-text.ts';
import type { WorkFacts } from './work-facts.ts';

/**
 * What a person can do next, with the exact command; empty while a run has not ended.
 *
 * @param isNewest whether the run is the one that a command without a run means
 * @param isOverview whether its turns are listed beside it: then one of them is shown
 */
export function toNextStep(view: RunView, isNewest: boolean, isOverview = false): string {
  if (view.end === null) return '';
  const next = END_REASONS[view.end.reason].next;
  if (view.end.reason === 'storage_failed' && view.end.detail.includes(LOST)) return toRescueStep(view.end.detail, view.runId);
  const elsewhere = view.end.reason === 'storage_failed' ? toElsewhereStep(view.end.detail, view.runId) : null;
  if (elsewhere !== null) return toCommand(elsewhere, view, isNewest);
  // Another model or other arguments are a change of the configuration.
  if (view.end.attention !== undefined && view.turns.at(-1)?.failure?.class === 'request')
    return toCommand('Then `ralph resume --accept-changes`.', view, isNewest);
  const last = view.turns.at(-1);
  const ofReason = next === '' ? toLookStep(view) : withGateLog(withExactLimit(next, view), view);
  const step = view.end.reason === 'gate_refused' && last !== undefined && isHeldByHook(last) ? HOOK_STEP : ofReason;
  return toCommand(step, view, isNewest).replace(/`ralph show[^`]*/, (show) =>
    isOverview && last !== undefined ? `${show} ${toTurnName(last)}` : show,
  );
}

/** What a person can do after reading what a run did, one command in each; none while it is under way. */
export function toReviewSteps(
  view: RunView,
  { changed, place, undone, landed, isUndoOpen, unknown = [] }: Omit<WorkFacts, 'at'>,
  isNewest: boolean,
): readonly string[] {
  if (isUndoOpen) return [toCommand('Finish its undo: `ralph undo --yes`.', view, isNewest)];
  if (unknown.some(({ of }) => of === 'undone')) return [toCommand('See what can be done: `ralph undo`.', view, isNewest)];
  if (view.end === null) return [];
  if (undone !== undefined) return [toCommand('Bring its work back: `ralph undo --yes`.', view, isNewest)];
  const isDone = view.end.reason === 'completed';
  const hasChanges = changed === null || changed.count > 0;
  const isThere = place?.isThere === true;
  const mayLand = place !== null && place.worktree !== null && (changed === null || changed.count > 0);
  const steps = [
    ...(isDone ? [] : [toNextStep(view, true)]),
    ...(changed !== null && hasChanges ? ['Read the changes: `ralph show --diff`.'] : []),
    ...(mayLand && isThere && landed !== undefined ? ['Away with its worktree and branch: `ralph land --clean`.'] : []),
    ...(mayLand && landed === undefined ? [`Bring it home, its gates run once more: \`ralph land${isDone ? '' : ' --unfinished'}\`.`] : []),
    ...(landed !== undefined && !isThere ? [`Take it out of ${toPathText(landed.onto)}, to be typed there: \`${landed.revert}\`.`] : []),
    ...(isThere && place?.state != null && hasChanges ? ['Take it back, a look first: `ralph undo`.'] : []),
  ];
  return (steps.length > 0 ? steps : ['See its turns: `ralph show`.']).map((step) => toCommand(step, view, isNewest));
}

const HOOK_STEP =
  'See what the hooks said: `ralph show`. Do what they ask for, then `ralph resume`; or fix them, then `ralph resume --accept-changes`.';

/** Whether it was a hook that would not let the run end, and no gate. */
function isHeldByHook({ gates, refused }: TurnView): boolean {
  return gates.every(({ passed }) => passed) && refused.some(({ why }) => why === 'hook');
}

const LOST = 'the journal of the run';

/** The journal was lost under the run: what it held lies beside `runs`, in the same state folder. */
function toRescueStep(detail: string, runId: string): string {
  const rescued = /what it held is in (.+)$/s.exec(detail)?.[1];
  return rescued === undefined ? 'Bring the folder of the run back, then `ralph resume`.' : toWayBack(rescued, runId);
}

/** A run that a worker goes on with, or may; `null` for any other. */
function toElsewhereStep(detail: string, runId: string): string | null {
  if (detail.startsWith(TAKEN_ELSEWHERE))
    return `See where it goes on: \`ralph fleet runs ${runId}\`. When it has ended there, \`ralph resume\` brings it home.`;
  if (detail.startsWith(FLEET_REPLACED)) return '`ralph resume` goes on with it here; the fleet that is there now keeps it then.';
  if (!detail.startsWith(FLEET_UNASKED)) return null;
  return `When the fleet answers again a worker may go on with it, and end it: see \`ralph fleet runs ${runId}\`. \`ralph resume\` brings home what became of it, and goes on where it has not ended.`;
}

function toCommand(step: string, view: RunView, isNewest: boolean): string {
  return isNewest ? step : step.replace(/`ralph (resume|show|events|review|land|undo)/g, `$& ${view.runId}`);
}

function toLookStep(view: RunView): string {
  return view.end?.reason === 'completed' ? 'Look at the work: `ralph review`.' : 'See what happened: `ralph show`.';
}

/** A new cost limit in numbers: what was spent so far, plus the limit once more. */
function withExactLimit(next: string, view: RunView): string {
  const limitUsd = view.limits?.maxCostUsd ?? null;
  if (limitUsd === null) return next;
  const cents = Math.ceil(Number((((view.totals.usage.costUsd ?? 0) + limitUsd) * 100).toFixed(6)));
  return next.replace('--max-cost USD', `--max-cost ${String(cents / 100)}`);
}

/** What the gate that refused last printed is kept; running the gates again shows what they print now. */
function withGateLog(next: string, view: RunView): string {
  const log = view.turns.flatMap((turn) => turn.gates).findLast((gate) => !gate.passed)?.evidence?.log ?? null;
  return log === null ? next : next.replace('`ralph gates --run`', () => `\`cat ${toShellWord(toPlainLine(log, 500))}\``);
}

/** What the person should know or decide: nobody else can. */
export function toPersonNotes(view: RunView): readonly string[] {
  return [
    ...toSignInNotes(view),
    ...toHookNotes(view),
    ...toLoopNotes(view),
    ...toCheckpointNotes(view),
    ...toCostNotes(view),
    ...toRefusalNotes(view),
  ];
}

function toSignInNotes(view: RunView): readonly string[] {
  if (view.end?.attention !== undefined) return [`The run needs you: ${view.end.attention}.`];
  const last = view.turns.at(-1);
  if (last?.failure?.class === 'spawn') return [`${last.backend || last.hat} could not be started; see \`ralph doctor\`.`];
  return [];
}

function toHookNotes(view: RunView): readonly string[] {
  const changed = findChangedHook(view);
  return changed === null ? [] : [`${changed.text} Look at it before you trust what came of this run.`];
}

/** A hook whose file was changed in the last turn in which it was asked; `at`: epoch milliseconds. */
export function findChangedHook({ turns }: RunView): { readonly text: string; readonly at: number } | null {
  const asked = new Set<string>();
  for (const { hooks, startedAt, durationMs } of turns.toReversed()) {
    const run = hooks?.runs.find(({ name, isFileChanged }) => isFileChanged === true && !asked.has(name));
    if (run !== undefined) {
      const name = toPlainLine(run.name, 100);
      return {
        text: `The file of the hook ${name} was changed or removed during the run: it did not run any more, and the calls that it is about were denied.`,
        at: startedAt + (durationMs ?? 0),
      };
    }
    for (const { name } of [...(hooks?.counts ?? []), ...(hooks?.runs ?? [])]) asked.add(name);
  }
  return null;
}

/** What could be changed where events went in circles; the report already says who published what. */
function toLoopNotes(view: RunView): readonly string[] {
  if (view.end?.reason !== 'loop_detected') return [];
  return [
    view.coordination === 'solo'
      ? `No completion was declared that counts: the agent declares it with ${view.promise} alone on a line of its final message.`
      : 'Tell the hats what to do when nothing moves on: a topic of its own for being stuck, such as build.blocked, and who takes it.',
    'Was it no loop? Let the payload say what is new, or set `event_loop.loop_detection` (repetition, oscillation; 0 switches one off).',
  ];
}

function toCheckpointNotes(view: RunView): readonly string[] {
  const leftOut = [...new Set(view.checkpoints.flatMap((made) => made.leftOut))];
  const notes =
    leftOut.length === 0
      ? []
      : [
          `Not committed, because you had changed them before the run: ${leftOut.slice(0, 5).join(', ')}${leftOut.length > 5 ? ', …' : ''}.`,
        ];
  // Nothing to commit, and no repository, are nothing that anybody could fix.
  const failed = view.checkpoints.findLast(
    ({ commit, note }) => commit === null && note !== '' && !/nothing new|not a git repository/.test(note),
  );
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
