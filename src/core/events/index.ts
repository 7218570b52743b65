/** Door to `core/events`: events, topics and patterns, the names that Ralph reserves, and the lines of the events file. */
export {
  type EventSignal,
  type MissedSignal,
  type PromiseSignal,
  parseSender,
  type RalphEvent,
  type RefusedEmit,
  type Sender,
  type Signal,
  type SignalProblem,
  type TransitionSignal,
  toSenderText,
} from './event.ts';
export { contractOf, type EventContract, type EventContracts, type PayloadCheck } from './event-contract.ts';
export { countCut, parseInboxLine, toCutProblem } from './inbox-line.ts';
export {
  DEFAULT_HAT,
  DEFAULT_PROMISE,
  EXTERNAL,
  QUALITY_GATE,
  RALPH,
  SYSTEM,
  SYSTEM_TOPICS,
  TOPIC_BLOCKED,
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  TOPIC_LEGACY_TRANSITION,
  TOPIC_READY,
  TOPIC_RESUME,
  TOPIC_SCOPE_VIOLATION,
  TOPIC_START,
  TOPIC_TASK_DONE,
  toBlockedTopic,
} from './reserved.ts';
export {
  comparePrecedence,
  hasWildcard,
  intersectsPatterns,
  isTopic,
  isTopicPattern,
  MAX_TOPIC_LENGTH,
  matchesTopic,
  type PatternPrecedence,
  toPrecedence,
} from './topics.ts';
