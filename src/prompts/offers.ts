import { type HatSpec, hasWildcard, RALPH } from '../core/index.ts';
import { isCompletionTopic, isTerminalTopic, receiversOf, type Topology } from '../topology/index.ts';
import { inLine } from './quoting.ts';
import { joinWords, ours, say, type Words } from './words.ts';

const SHOWN_RECEIVERS = 5;

/** A topic or pattern that a hat may publish, with all who may receive it; nobody for a terminal topic. */
export interface Offer {
  readonly topic: string;
  readonly receivers: readonly string[];
  /** True where an entry names a hat as receiver. */
  readonly byTarget: boolean;
}

/** What a hat may publish, the ways to end the run left out, in the order of the file. */
export function offersOf(topology: Topology, hat: HatSpec): readonly Offer[] {
  const topics = new Set(hat.publishes.map((entry) => entry.topic).filter((topic) => !isCompletionTopic(topology, topic)));
  return [...topics].map((topic) => {
    const entries = hat.publishes.filter((entry) => entry.topic === topic);
    const known = new Set(entries.flatMap((entry) => receiversOf(topology, entry)));
    const lost = known.size === 0 && hasWildcard(topic) && !isTerminalTopic(topology, topic);
    return {
      topic,
      receivers: lost ? [RALPH] : [...known],
      byTarget: entries.some((entry) => entry.target !== undefined),
    };
  });
}

/** Hat ids as a prompt lists them: the first few by name, the others by number. */
export function receiverNames(ids: readonly string[]): Words {
  const shown = joinWords(ids.slice(0, SHOWN_RECEIVERS).map(inLine), ', ');
  const more = ids.length - SHOWN_RECEIVERS;
  return more > 0 ? say`${shown} and ${ours(String(more))} more` : shown;
}
