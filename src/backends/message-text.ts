import type { BackendEvent } from '../core/index.ts';

/** Sees to it that every character of an assistant message is told once, whether it comes in pieces, whole, or both. */
export interface MessageText {
  delta(text: string, messageId?: string): void;
  whole(text: string, messageId?: string): void;
  end(): void;
}

/** Makes one; `emit` receives `text` and `message-end`. Messages without text leave no trace. */
export function createMessageText(emit: (event: BackendEvent) => void): MessageText {
  let currentId: string | undefined;
  /** Characters of this message that were told, and how many of them whole blocks have confirmed. */
  let toldLength = 0;
  let confirmedLength = 0;

  function end(): void {
    if (toldLength > 0) emit({ type: 'message-end' });
    currentId = undefined;
    toldLength = 0;
    confirmedLength = 0;
  }

  function enter(messageId: string | undefined): void {
    if (messageId !== undefined && currentId !== undefined && messageId !== currentId) end();
    currentId = messageId ?? currentId;
  }

  function tell(text: string): void {
    if (text === '') return;
    toldLength += text.length;
    emit({ type: 'text', text });
  }

  return {
    delta(text, messageId) {
      enter(messageId);
      tell(text);
    },
    whole(text, messageId) {
      enter(messageId);
      tell(text.slice(toldLength - confirmedLength));
      confirmedLength += text.length;
      toldLength = Math.max(toldLength, confirmedLength);
    },
    end,
  };
}
