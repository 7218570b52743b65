import { compactConversation } from './compact.ts';
import { estimateRequest } from './context-size.ts';
import { evictOutputs } from './evict-outputs.ts';
import type { TurnParts, TurnState } from './turn-parts.ts';

/** From this share of what the model can read on, something has to go. */
const FULL_SHARE = 0.8;
/** Results of the newest steps that stay whole as long as the rest is enough. */
const KEPT_STEPS = 4;

/**
 * Keeps the next request within what the model can read: old outputs of tools go into files; where that is not enough, a summary takes the place of the
 * beginning.
 *
 * @param isForced the provider has said that the request is too long, whatever our count says
 */
export async function keepWithinBudget(parts: TurnParts, state: TurnState, isForced = false): Promise<void> {
  const isFull = (): boolean => estimateRequest(state, parts.system, parts.tools.tools) > parts.limits.contextTokens * FULL_SHARE;
  if (!isForced && !isFull()) return;
  await evictOutputs(parts, state, isForced ? 1 : KEPT_STEPS);
  if (isForced || isFull()) await compactConversation(parts, state);
}
