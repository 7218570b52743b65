import type { BackendEvent } from '../core/index.ts';
import type { Translator } from './translator.ts';

/** How much is held back while it is not clear yet whether the program speaks the stream it was asked for. */
const MAX_HELD_LENGTH = 64 << 10;

/**
 * A translator for a program that was asked for a JSON stream but may not give one (a wrapper script, an old version): where its whole
 * output holds not one JSON object, it is taken as plain text, with a warning, and the exit code decides.
 */
export function createStreamOrText(stream: Translator, text: Translator, name: string): Translator {
  let held: string[] = [];
  let heldLength = 0;
  let chosen: Translator | null = null;

  function choose(translator: Translator): BackendEvent[] {
    chosen = translator;
    const lines = held;
    held = [];
    return lines.flatMap((line) => [...translator.line(line)]);
  }

  const chooseText = (): BackendEvent[] => {
    const warning: BackendEvent = { type: 'warning', message: `the output is not the stream of ${name}: it is taken as plain text` };
    return [warning, ...choose(text)];
  };

  return {
    line(line) {
      if (chosen !== null) return chosen.line(line);
      held.push(line);
      heldLength += line.length + 1;
      if (line.trimStart().startsWith('{')) return choose(stream);
      return heldLength > MAX_HELD_LENGTH ? chooseText() : [];
    },
    isFinished: () => chosen?.isFinished() ?? false,
    end(exit) {
      const isText = chosen === null && held.some((line) => line.trim() !== '');
      const events = chosen === null ? (isText ? chooseText() : choose(stream)) : [];
      const end = (chosen ?? stream).end(exit);
      return { ...end, events: [...events, ...end.events] };
    },
  };
}
