import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toSpeakerName } from '../../core/text/speaker-name.ts';
import type { SpokenWords } from '../../ports/people.ts';
import type { AgentTurn, TurnState, TurnWords } from './agent-turn.ts';

/** Nothing was said yet. */
export function createTurnWords(): TurnWords {
  const waiting = new Map<string, SpokenWords>();
  let isFinished = false;
  return {
    put: (words) => void waiting.set(words.id, words),
    take: () => {
      const taken = [...waiting.values()];
      waiting.clear();
      return taken;
    },
    finish: () => {
      isFinished = true;
    },
    isFinished: () => isFinished,
  };
}

/**
 * Gives the agent, between two of its steps, what people have said since: one message behind all results. It is in the transcript, with the ids of the commands, before
 * anybody learns of it, so that it is given once, whenever the turn is cut off.
 */
export function deliverWords(parts: AgentTurn, state: TurnState): void {
  const words = parts.words.take();
  if (words.length === 0) return;
  const ids = words.map(({ id }) => id);
  const message = { role: 'user', text: words.map(toText).join('\n\n') } as const;
  state.messages.push(message);
  parts.transcript.append({ type: 'message', message: { ...message }, told: ids, call: state.toolCalls });
  parts.transcript.flush();
  const event: BackendEvent = { type: 'injected', ids, call: state.toolCalls, isKept: true };
  parts.tell(event);
}

function toText({ text, by, isNews }: SpokenWords): string {
  if (isNews === true) return maskControls(text, { keepsLines: true });
  return `${toSpeakerName(by)}, who runs this, says while you work:\n\n${maskControls(text, { keepsLines: true })}`;
}
