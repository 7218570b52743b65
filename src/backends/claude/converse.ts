import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { isJsonObject, type Json, parseJson } from '../../core/values/json.ts';
import type { SpokenWords } from '../../ports/people.ts';
import { listAt, objectAt, textAt } from '../stream/read-fields.ts';
import { toSpokenMessage } from '../stream/spoken-words.ts';
import type { Translator } from '../stream/translator.ts';

/**
 * Talks to `claude --input-format stream-json --replay-user-messages`: the prompt is the first message, and what people say while it works another. It repeats each on its
 * output when the model is given it; in the midst of a turn that is with the next result of a tool.
 */
export function converseWithClaude(translator: Translator, prompt: string): Translator {
  const told: SpokenWords[] = [];
  let calls = 0;

  const hear = (text: string): readonly BackendEvent[] => {
    const index = told.findIndex((words) => toSpokenMessage(words) === text);
    const [words] = index < 0 ? [] : told.splice(index, 1);
    return words === undefined ? [] : [{ type: 'injected', ids: [words.id], call: calls }];
  };
  return {
    ...translator,
    line: (line) => {
      const events = translator.line(line);
      calls += events.filter(({ type }) => type === 'tool-end').length;
      if (told.length === 0) return events;
      const replayed = readReplay(line);
      return replayed === null ? events : [...events, ...hear(replayed)];
    },
    dialogue: {
      open: () => [toMessage(prompt)],
      replies: () => [],
      tell: (words) => {
        told.push(words);
        return [toMessage(toSpokenMessage(words))];
      },
    },
  };
}

function toMessage(text: string): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
}

/** The text of a message that the model was given just now; `null` for any other line. */
function readReplay(line: string): string | null {
  const event: Json | undefined = line.includes('"isReplay"') ? parseJson(line) : undefined;
  if (!isJsonObject(event) || event['isReplay'] !== true) return null;
  const message = objectAt(event, 'message');
  const { content } = message;
  return typeof content === 'string'
    ? content
    : listAt(message, 'content')
        .map((block) => textAt(block, 'text'))
        .join('');
}
