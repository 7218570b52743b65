import { matchesTopic, TOPIC_COMPLETE, TOPIC_RESUME, TOPIC_START } from '../core/index.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import type { Declared, DeclaredHat } from './settings-table.ts';
import { triggersOf } from './trigger-names.ts';

/** A topic that probably wakes a hat which names none. */
export interface GuessedTrigger {
  readonly topic: string;
  /** True if it is the only event that nobody takes, and the hat the only one that takes nothing. */
  readonly isOnly: boolean;
}

type Hats = readonly (readonly [id: string, hat: DeclaredHat])[];

/**
 * What hats without triggers were probably meant to take, by their id: the one event of another hat that nobody takes; of several the one that
 * has a word in common with the hat. None where nothing tells.
 *
 * @param hats all of them, as they were declared
 */
export function guessTriggers(hats: Hats, loop: Declared['event_loop'] = {}): ReadonlyMap<string, GuessedTrigger> {
  const guesses = new Map<string, GuessedTrigger>();
  const idle = hats.filter(([, hat]) => triggersOf(hat).length === 0);
  if (idle.length === 0) return guesses;
  const taken = [...hats.flatMap(([, hat]) => triggersOf(hat)), ...listEnds(loop)];
  const isFree = (topic: string): boolean => !topic.includes('*') && !taken.some((pattern) => matchesTopic(pattern, topic));
  const isBegun = [TOPIC_START, TOPIC_RESUME].some((topic) => taken.some((pattern) => matchesTopic(pattern, topic)));
  for (const [id, hat] of idle) {
    const free = new Set(hats.filter(([other]) => other !== id).flatMap(([, other]) => listPublished(other).filter(isFree)));
    const own = [...free].filter((topic) => isAbout(topic, id, hat));
    const [topic, ...others] = free.size === 1 && idle.length === 1 ? [...free] : own;
    if (topic !== undefined && others.length === 0) guesses.set(id, { topic, isOnly: free.size === 1 && idle.length === 1 && isBegun });
  }
  return guesses;
}

function listEnds({ completion_promise: promise, terminal_events: terminal = [] }: NonNullable<Declared['event_loop']>): readonly string[] {
  const usual = EVENT_LOOP_KEYS.completion_promise.default;
  return [usual, promise ?? usual, TOPIC_COMPLETE, ...terminal];
}

/** What a hat publishes to nobody in particular. */
function listPublished({ publishes = [] }: DeclaredHat): readonly string[] {
  return publishes.filter(({ target }) => target === undefined).map(({ topic }) => topic);
}

/** `build.task` is about a hat called `builder`, and about one that publishes `build.done`. */
function isAbout(topic: string, id: string, hat: DeclaredHat): boolean {
  const [word = ''] = topic.split('.');
  return id.toLowerCase().startsWith(word) || listPublished(hat).some((published) => published.split('.')[0] === word);
}
