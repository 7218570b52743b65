import { TOPIC_PANEL_CONFLICT } from '../events/reserved.ts';
import { hasWildcard } from '../events/topics.ts';
import type { HatSpec } from './run-spec.ts';

export interface PanelTopics {
  /** Topics that an answer may name. A pattern names none, and that work cannot be taken over is nobody's answer. */
  readonly topics: readonly string[];
  /** What is published where the answer that won names none; `null`: nothing. */
  readonly defaultTopic: string | null;
}

/** The topics of which an answer of a panel names one. */
export function toPanelTopics({ publishes, defaultPublishes }: Pick<HatSpec, 'publishes' | 'defaultPublishes'>): PanelTopics {
  const topics = publishes.map(({ topic }) => topic).filter((topic) => !hasWildcard(topic) && topic !== TOPIC_PANEL_CONFLICT);
  return { topics, defaultTopic: defaultPublishes[0] ?? (topics.length === 1 ? (topics[0] ?? null) : null) };
}
