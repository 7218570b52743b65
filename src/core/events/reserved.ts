/**
 * The names that mean something to the loop itself. They are compared nowhere else by their text:
 * the loop knows no other topic, hat or backend.
 */
export const TOPIC_START = 'task.start';
export const TOPIC_READY = 'task.ready';
export const TOPIC_CONTINUE = 'task.continue';
export const TOPIC_RESUME = 'task.resume';
export const TOPIC_COMPLETE = 'task.complete';
export const TOPIC_ERROR_CLI = 'error.cli';
export const TOPIC_ERROR_TIMEOUT = 'error.timeout';
export const TOPIC_TASK_DONE = 'task.done';
/** What a person tells a hat while the run goes on. */
export const TOPIC_GUIDANCE = 'human.guidance';
/** Work is stuck: the hat that takes it gets it going again. */
export const TOPIC_BLOCKED = 'blocked';
/** The work of a panel could not be taken over: who takes it brings it together. */
export const TOPIC_PANEL_CONFLICT = 'panel.conflict';
/** Prefix of the record that a legacy `HAT_TRANSITION:` line leaves. */
export const TOPIC_LEGACY_TRANSITION = 'legacy.hat_transition';
/** Behind the id of a hat: the record of what it did beyond its contract or its profile. */
export const TOPIC_SCOPE_VIOLATION = 'scope_violation';

/** The coordinator's id, as agents see it in `RALPH_HAT`. */
export const RALPH = 'ralph';
/** The one hat of `mode: single`. */
export const DEFAULT_HAT = 'default';
/** Source of an event that came while no hat was active. */
export const EXTERNAL = 'external';
/** Source of what the loop itself publishes. */
export const SYSTEM = 'system';

/** Source of the event that a failing gate makes of another one. */
export const QUALITY_GATE = 'quality_gate';

export const DEFAULT_PROMISE = 'LOOP_COMPLETE';

/** Topics that the loop publishes by itself; a hat may take them, nobody need publish them. */
export const SYSTEM_TOPICS: readonly string[] = [
  TOPIC_START,
  TOPIC_READY,
  TOPIC_CONTINUE,
  TOPIC_RESUME,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
];

/** `build.done` -> `build.blocked`: what a failing gate makes of a topic. */
export function toBlockedTopic(topic: string): string {
  const cut = topic.lastIndexOf('.');
  return cut < 0 ? `${topic}.blocked` : `${topic.slice(0, cut)}.blocked`;
}
