import { TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import type { HookEventName } from '../../core/hooks/hook-moments.ts';
import type { MergedHooks, PublishedDraft } from '../../core/hooks/hook-spec.ts';
import type { HookAnswer } from '../../core/run/inputs.ts';
import type { JsonObject } from '../../core/values/json.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';
import { mayStandFor, publishableBy } from '../../topology/routing/queries.ts';
import { createUsageError } from '../args/usage-error.ts';

/** The event that a test is about: `--input '{"topic": …, "payload": …, "target": …}'`. */
export function toTestedDraft(event: HookEventName, { topic, payload = '', target }: JsonObject) {
  const named = typeof topic === 'string' ? topic : event === 'CompletionRequested' ? TOPIC_COMPLETE : undefined;
  if (named === undefined)
    throw createUsageError('Which event is published?', `Say it: --input '{"topic":"build.done","payload":"14 tests"}'`);
  return { topic: named, payload, ...(typeof target === 'string' && { target }) };
}

/** What the hooks of an event said, in the form of those of a tool; what they made of the event stands in the place of an input. */
export function toMergedHooks(event: HookEventName, { isDropped, reason, changed, told, runs }: HookAnswer): MergedHooks {
  return {
    decision: isDropped ? 'deny' : 'allow',
    reason,
    injects: told.map((content) => ({ content, strategy: 'user_message' })),
    runs: runs.map((run) => ({ ...run, event, preview: '' })),
    ...(changed === undefined ? {} : { input: changed }),
  };
}

export interface ContractVerdict {
  readonly hat: string;
  readonly topic: string;
  readonly mayPublish: boolean;
  /** A hook gave it another topic or target. */
  readonly isMoved: boolean;
  /** What the hat may publish. */
  readonly publishes: readonly string[];
}

/** Whether a run would route in the hat's name what the hooks made of an event. */
export function checkContract(topology: Topology, hat: string, draft: PublishedDraft, { input = {} }: MergedHooks): ContractVerdict {
  const { topic, target }: PublishedDraft = { ...draft, ...input };
  const isMoved = topic !== draft.topic || target !== draft.target;
  return { hat, topic, mayPublish: mayStandFor(topology, hat, topic, target), isMoved, publishes: publishableBy(topology, hat) };
}
