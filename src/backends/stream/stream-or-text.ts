import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/values/json.ts';
import type { Translator } from './translator.ts';

/** How much is held back while it is not clear yet whether the program speaks a stream at all. */
const MAX_HELD_LENGTH = 64 << 10;

/**
 * A translator for a program that should give a JSON stream but may not (a wrapper script, an old version). Its first JSON object
 * chooses the stream; where `choose` knows none, or the whole output holds not one JSON object, it is taken as plain text, with a
 * warning, and the exit code decides.
 */
export function createStreamOrText(choose: (first: JsonObject) => Translator | null, silent: Translator, text: Translator): Translator {
  const { ownLog } = silent;
  let held: string[] = [];
  let heldLength = 0;
  let chosen: Translator | null = null;

  function release(translator: Translator): BackendEvent[] {
    chosen = translator;
    const lines = held;
    held = [];
    return lines.flatMap((line) => [...translator.line(line)]);
  }

  const releaseAsText = (): BackendEvent[] => [
    { type: 'warning', message: 'the output is no stream that is known here: it is taken as plain text' },
    ...release(text),
  ];

  /** The output is over and no line of it was an object: all of it together may be one. */
  function releaseAll(): BackendEvent[] {
    const whole = parseJson(held.join('\n'));
    const stream = isJsonObject(whole) ? choose(whole) : null;
    return stream === null ? releaseAsText() : release(stream);
  }

  return {
    line(line) {
      if (chosen !== null) return chosen.line(line);
      held.push(line);
      heldLength += line.length + 1;
      const first = line.trimStart().startsWith('{') ? parseJson(line) : undefined;
      if (isJsonObject(first)) {
        const stream = choose(first);
        return stream === null ? releaseAsText() : release(stream);
      }
      return heldLength > MAX_HELD_LENGTH ? releaseAsText() : [];
    },
    part: (text) => chosen?.part?.(text) ?? [],
    isFinished: () => chosen?.isFinished() ?? false,
    // Before the first word of its stream there may be much in its log.
    refusal: (now) => (chosen ?? silent).refusal?.(now) ?? null,
    ...(ownLog !== undefined && { ownLog }),
    end(exit) {
      const events = chosen === null && held.some((line) => line.trim() !== '') ? releaseAll() : [];
      const end = (chosen ?? silent).end(exit);
      return { ...end, events: [...events, ...end.events] };
    },
  };
}
