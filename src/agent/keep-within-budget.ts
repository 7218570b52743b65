import { compactConversation } from './compact.ts';
import { estimateRequest } from './context-size.ts';
import { evictOutputs } from './evict-outputs.ts';
import type { TurnParts, TurnState } from './turn-parts.ts';

/** From this share of what the model can read on, something has to go. */
const FULL_SHARE = 0.8;
/** So much may be left then: room for many steps, in which the beginning stays as it is and is found in the provider's cache. */
const LEFT_SHARE = 0.5;
/** Results of the newest steps that stay whole as long as the rest is enough. */
const KEPT_STEPS = 4;

/**
 * Keeps the next request within what the model can read: old outputs of tools go into files; where that is not enough, a summary takes the place of the
 * beginning.
 *
 * @param isForced the provider has said that the request is too long, whatever our count says
 */
export async function keepWithinBudget(parts: TurnParts, state: TurnState, isForced = false): Promise<void> {
  const room = Math.min(parts.limits.contextTokens, state.roomTokens);
  const isOver = (share: number): boolean => estimateRequest(state, parts.system, parts.tools.tools) > room * share;
  if (!isForced && !isOver(FULL_SHARE)) return;
  await evictOutputs(parts, state, isForced ? 1 : KEPT_STEPS);
  // A summary of a summary alone would gain nothing.
  if (isForced || (isOver(LEFT_SHARE) && state.messages.length > state.summarisedMessages)) await compactConversation(parts, state);
}
