import type { FlowFinding } from '../../core/index.ts';

/** Said instead of a wrong answer, or of none for an hour. */
export const UNCHECKED: FlowFinding = {
  code: 'flow-unchecked',
  severity: 'warning',
  at: { kind: 'hats' },
  message: 'The patterns of this team are too many to be all compared with each other.',
  why: 'Some of its events were not looked at: one may have no taker, or two.',
  fix: 'Write out topics instead of patterns that begin with `*`, or split the team.',
};
