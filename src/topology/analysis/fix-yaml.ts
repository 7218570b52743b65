import { isTopic } from '../../core/events/topics.ts';
import type { PublishSpec } from '../../core/run/run-spec.ts';

/** More than this is not written out: the list is then shown with what is new in it alone. */
const MAX_ITEMS = 8;
const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const WORDS_OF_YAML = ['null', 'true', 'false', 'yes', 'no', 'on', 'off'];

/** What a hat's list should be, as YAML to be pasted: `items` as they are, and what is added behind them. */
export interface ListFix {
  readonly hat: string;
  readonly list: 'triggers' | 'publishes';
  readonly items: readonly (string | PublishSpec)[];
  readonly added?: string;
  /** Words for a comment at the end of the line. */
  readonly comment?: string;
}

/** `hats:` with the lists that are to be changed, one or two lines for each hat. */
export function toHatsYaml(...fixes: readonly ListFix[]): string {
  return ['hats:', ...fixes.flatMap(toLines)].join('\n');
}

function toLines({ hat, list, items, added, comment }: ListFix): readonly string[] {
  const head = `  ${toKey(hat)}:`;
  const note = comment === undefined ? '' : `  # ${comment}`;
  if (items.length > MAX_ITEMS) {
    if (added !== undefined) return [head, `    ${list}:`, `      - ${toItem(added)}  # add it; keep the other ${items.length}`];
    return [head, `    ${list}:${note}`, ...items.slice(0, MAX_ITEMS).map((item) => `      - ${toItem(item)}`), '      # and so on'];
  }
  const kept = items.filter((item) => item !== added).map(toItem);
  return [head, `    ${list}: [${[...kept, ...(added === undefined ? [] : [toItem(added)])].join(', ')}]${note}`];
}

/** A topic that a hat could have for itself; an id that cannot stand in one gives way to a neutral word. */
export function toOwnTopic(id: string, word: string): string {
  const topic = `${id}.${word}`;
  return isTopic(topic) ? topic : `work.${word}`;
}

/** `event_loop:` with one of its keys, the value being a word or a list of topics. */
export function toLoopYaml(key: string, value: string | readonly string[]): string {
  return `event_loop:\n  ${key}: ${typeof value === 'string' ? value : `[${value.map(toItem).join(', ')}]`}`;
}

/** An id as a key of YAML. */
function toKey(id: string): string {
  return PLAIN_KEY.test(id) && !WORDS_OF_YAML.includes(id.toLowerCase()) ? id : JSON.stringify(id);
}

function toItem(item: string | PublishSpec): string {
  if (typeof item === 'string') return JSON.stringify(item);
  return item.target === undefined
    ? JSON.stringify(item.topic)
    : `{topic: ${JSON.stringify(item.topic)}, target: ${JSON.stringify(item.target)}}`;
}
