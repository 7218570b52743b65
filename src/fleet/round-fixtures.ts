import { NO_WORK } from '../core/run/inputs.ts';

/** The end of a round in which its agent made nothing and said nothing, as a worker reports it. */
export const ROUND_END = {
  kind: 'round',
  result: { ...NO_WORK, status: 'succeeded', failure: null, logError: null },
  said: '',
  changes: null,
  files: [],
  found: null,
} as const;
