import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { endOf } from '../../core/text/shorten.ts';

/** Keeps the last message of an agent: of a longer one its last `most` characters. */
export function createLastWords(most: number) {
  let text = '';
  let isOver = false;
  return {
    take: (event: BackendEvent): void => {
      if (event.type === 'text') {
        if (isOver) text = '';
        isOver = false;
        text = endOf(text + event.text, most);
      }
      if (event.type === 'message-end') isOver = true;
    },
    said: (): string => text.trim(),
  };
}
