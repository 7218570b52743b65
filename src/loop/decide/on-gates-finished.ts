import type { GatesFinished } from '../../core/index.ts';
import { complete } from './complete.ts';
import { block, findFailed, guardEvents, publishJudged } from './guard-events.ts';
import { proceed } from './proceed.ts';
import { change, type Step } from './step.ts';

/** Gates gave their verdict on what waits for them. */
export function onGatesFinished(step: Step, input: GatesFinished): void {
  const wait = step.state.gateWaits.find((entry) => entry.request === input.request);
  if (wait === undefined) return;
  change(step, { gateWaits: step.state.gateWaits.filter((entry) => entry !== wait) });
  const { completion, drafts, hat, iteration } = wait;
  const failed = findFailed(step, wait, input.results);
  if (completion === null) {
    publishJudged(step, wait, failed);
    return proceed(step);
  }
  if (failed.length === 0) return complete(step, completion, drafts);
  change(step, { gateRefusals: step.state.gateRefusals + 1 });
  block(step, hat, completion, failed);
  guardEvents(step, { hat, iteration, drafts });
  proceed(step);
}
