import { TOPIC_COMPLETE, TOPIC_RESUME, TOPIC_START } from '../../core/events/reserved.ts';
import { isTopicPattern, matchesTopic } from '../../core/events/topics.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import type { LocatedMap, LocatedValue, Path } from '../findings/located.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import { type Declared, type DeclaredHat, TRIGGER_KEYS, triggersOf } from '../keys/settings-table.ts';
import { toSegments } from '../keys/value-finding.ts';

/** A topic that probably wakes a hat which names none. */
export interface GuessedTrigger {
  readonly topic: string;
  /** True if it is the only event that nobody takes, and the hat the only one that takes nothing. */
  readonly isOnly: boolean;
}

type NamedHats = readonly (readonly [id: string, hat: DeclaredHat])[];

/**
 * What hats without triggers were probably meant to take, by their id: the only event of another hat that nobody takes or, of several, the one that
 * shares a word with the hat. None where there is no such event.
 *
 * @param hats all of them, as they were declared
 */
export function guessTriggers(hats: NamedHats, loop: Declared['event_loop'] = {}): ReadonlyMap<string, GuessedTrigger> {
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

/** What a hat publishes without a target. */
function listPublished({ publishes = [] }: DeclaredHat): readonly string[] {
  return publishes.filter(({ target }) => target === undefined).map(({ topic }) => topic);
}

/** `build.task` is about a hat called `builder`, and about one that publishes `build.done`. */
function isAbout(topic: string, id: string, hat: DeclaredHat): boolean {
  const [word = ''] = topic.split('.');
  return id.toLowerCase().startsWith(word) || listPublished(hat).some((published) => published.split('.')[0] === word);
}

/** For a hat whose triggers cannot be known. */
const ANYTHING = ['*'];

/** A configuration as it was read, some of it wrong. */
interface ReadHats {
  readonly root: LocatedMap;
  readonly declared: Declared;
  /** True where a finding says already that a part of the value is wrong. */
  readonly isBroken: (path: Path) => boolean;
}

/**
 * Topics that a hat was probably meant to take, by hat, where it has no triggers or one that cannot be read: a finding says so, and what such a hat
 * would take is no orphan as well.
 *
 * @param hats all of them, as they were declared
 */
export function listLooseTriggers(hats: NamedHats, { root, declared, isBroken }: ReadHats): Readonly<Record<string, readonly string[]>> {
  const guesses = [...guessTriggers(hats, declared.event_loop)].map(([id, { topic }]) => [id, [topic]] as const);
  return { ...Object.fromEntries(guesses), ...readBrokenTriggers(root, isBroken) };
}

function readBrokenTriggers(root: LocatedMap, isBroken: ReadHats['isBroken']): Readonly<Record<string, readonly string[]>> {
  const hats = root.entries.get('hats')?.value;
  if (hats?.kind !== 'map') return {};
  const loose = new Map<string, readonly string[]>();
  for (const [id, entry] of hats.entries) {
    const triggers = isBroken(['hats', id]) ? readHat(id, entry.value, isBroken) : [];
    if (triggers.length > 0) loose.set(id, triggers);
  }
  return Object.fromEntries(loose);
}

function readHat(id: string, hat: LocatedValue, isBroken: ReadHats['isBroken']): readonly string[] {
  if (hat.kind !== 'map' || isBroken(['hats', id, 'import'])) return ANYTHING;
  const misspelt = [...hat.entries].filter(([key]) => findNearMiss(key, ['triggers']) !== undefined && key !== 'triggers');
  return TRIGGER_KEYS.filter((key) => isBroken(['hats', id, key])).flatMap((key) => {
    const written = hat.entries.get(key)?.value;
    return written === undefined && misspelt.length > 0 ? misspelt.flatMap(([, entry]) => readMeant(entry.value)) : readTriggers(written);
  });
}

/** The triggers under a misspelt key, right ones and repaired ones. */
function readMeant(value: LocatedValue): readonly string[] {
  const items = value.kind === 'list' ? value.items : [value];
  const topics = items.map((item) =>
    item.kind === 'scalar' ? (isTopicPattern(item.written) ? item.written : repairPattern(item.written)) : null,
  );
  return topics.includes(null) ? ANYTHING : topics.filter((topic) => topic !== null);
}

function readTriggers(value: LocatedValue | undefined): readonly string[] {
  const items = value?.kind === 'list' ? value.items : [value];
  const texts = items.map((item) => (item?.kind === 'scalar' ? item.written : null));
  const wrong = texts.filter((text) => text === null || !isTopicPattern(text)).map((text) => (text === null ? null : repairPattern(text)));
  return wrong.length === 0 || wrong.includes(null) ? ANYTHING : [...new Set(wrong.filter((topic) => topic !== null))];
}

const MAX_LENGTH = 200;

/** A pattern as it was probably meant: `build*` as `build.*`, `build done` as `build.done`; `null` where that cannot be told. */
function repairPattern(text: string): string | null {
  const plain = text
    .slice(0, MAX_LENGTH)
    .trim()
    .replace(/[\s/:,;]+/g, '.')
    .replace(/[^A-Za-z0-9_.*-]/g, '');
  const repaired = toSegments(plain)
    .replace(/\.{2,}/g, '.')
    .replace(/^\.|\.$/g, '');
  return isTopicPattern(repaired) ? repaired : null;
}
