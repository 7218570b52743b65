import type { EventDraft } from '../../core/events/event.ts';
import { complete } from './complete.ts';
import { askGates, gatesOnCompletion } from './publish.ts';
import type { Step } from './step.ts';

/** A completion that nobody holds back. */
interface Claim {
  readonly hat: string;
  readonly iteration: number;
  readonly drafts: readonly EventDraft[];
  readonly completion: EventDraft;
}

/** Asks the gates of a completion; without any the run ends. */
export function proveCompletion(step: Step, { hat, iteration, drafts, completion }: Claim): void {
  const gates = gatesOnCompletion(step, hat, drafts);
  if (gates.length === 0) complete(step, completion, drafts);
  else askGates(step, { hat, iteration, drafts, completion, gates });
}
