import { TASK_TOPIC } from './prompt-context.ts';
import { lines, listInCode, ours, type PromptWords, say } from './prompt-text.ts';

/** What a topic asks or says by its name alone; `words` follow its name. */
interface KnownTopic {
  readonly form: RegExp;
  readonly words: string;
}

/** For a hat that is called by such a topic; the first that fits counts. */
const CALLS: readonly KnownTopic[] = [
  { form: TASK_TOPIC, words: ': do exactly what it asks, test first.' },
  { form: /(^|\.)blocked$/, words: ': clear what blocks, or plan anew.' },
  { form: /^error\./, words: ': a turn failed; see that what its events ask still gets done.' },
  { form: /^review\.(rejected|changes_requested|failed)$/, words: ': fix every point that it names.' },
  { form: /^review\.(approved|passed|done)$/, words: ': take the next open step.' },
  { form: /^review\.\*$/, words: ': act on the verdict; fix every point that it names.' },
  { form: /^review\./, words: ': read the change as a stranger; look for what breaks it.' },
  { form: /(^|\.)done$/, words: ': check it against the files.' },
];

/** For a hat that publishes it. */
const OFFERS: readonly KnownTopic[] = [
  { form: TASK_TOPIC, words: ': ONE small task; what, where, how to tell that it is done.' },
  { form: /^review\.(rejected|changes_requested|failed)$/, words: ' names each fault with file, line and reason.' },
  { form: /^review\.(approved|passed|done)$/, words: ' says what you checked.' },
  { form: /(^|\.)done$/, words: ': only when the checks are green.' },
];

/** What well-known topics ask of a hat without instructions: a line for each kind, none for topics whose names say nothing. */
export function knownTopicLines(triggers: readonly string[], publishes: readonly string[]): PromptWords {
  return lines(...CALLS.map((known) => lineOf(known, triggers, CALLS)), ...OFFERS.map((known) => lineOf(known, publishes, OFFERS)));
}

function lineOf(known: KnownTopic, topics: readonly string[], table: readonly KnownTopic[]): PromptWords {
  const fitting = topics.filter((topic) => table.find(({ form }) => form.test(topic)) === known);
  return fitting.length === 0 ? [] : say`- ${listInCode(fitting)}${ours(known.words)}`;
}
