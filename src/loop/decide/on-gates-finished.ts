import type { GatesFinished } from '../../core/run/inputs.ts';
import type { GateWait } from '../../core/run/state.ts';
import { takeBaseline } from './baseline.ts';
import { blockEvent, noteStreaks, publishJudged } from './block-event.ts';
import { complete, holdCompletion } from './complete.ts';
import { judgeResults, tellVerdict, toGateNames, type Verdict } from './judge-results.ts';
import { askGates, publishEvents } from './publish.ts';
import { change, goOn, type LoopStep, notify } from './step.ts';

/** Gates gave their verdict on what waits for them. */
export function onGatesFinished(step: LoopStep, input: GatesFinished): void {
  const wait = step.state.gateWaits.find((entry) => entry.request === input.request && entry.hooks === undefined && entry.isHeld !== true);
  if (wait === undefined) return;
  change(step, { gateWaits: step.state.gateWaits.filter((entry) => entry !== wait) });
  if (wait.isApart === true) step.iteration = wait.iteration;
  const results = input.results.filter((result) => wait.gates.includes(result.gate));
  if (wait.isBaseline === true) {
    takeBaseline(step, results);
    return goOn(step);
  }
  const verdict = judgeResults(step, wait, results);
  tellVerdict(step, wait, results, verdict);
  if (verdict.isStale) return askAgain(step, wait);
  noteStreaks(step, wait, verdict.failed, results);
  if (wait.completion === null) publishJudged(step, wait, verdict.failed);
  else if (judgeEnd(step, wait, verdict)) return;
  goOn(step);
}

/** A completion: the end, or a blocked event and what else the turn said. True if the run has ended. */
function judgeEnd(step: LoopStep, { completion, drafts, hat, iteration }: GateWait, { failed }: Verdict): boolean {
  if (completion === null) return false;
  if (failed.length === 0) {
    if (!holdCompletion(step, completion)) {
      complete(step, completion, drafts);
      return true;
    }
    publishEvents(step, { hat, iteration, drafts });
    return false;
  }
  change(step, { gateRefusals: step.state.gateRefusals + 1 });
  blockEvent(step, hat, completion, failed);
  publishEvents(step, { hat, iteration, drafts });
  return false;
}

/** Those that passed on the files as they are now answer at once. */
function askAgain(step: LoopStep, wait: GateWait): void {
  notify(step, 'info', 'gate-again', `Files changed while gates ran: ${toGateNames(step, wait.gates)} asked again.`);
  askGates(step, { ...wait, round: (wait.round ?? 1) + 1 });
}
