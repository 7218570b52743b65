import { expect, test } from 'vitest';
import { RalphError } from '../core/values/errors.ts';
import { toProblemText } from './stand-in.ts';

test('why a worker cannot go on with a run is told line by line: what happened, why, and what to do', () => {
  const facts = {
    code: 'variable-unset',
    what: 'KEY is not set.',
    why: 'The run needs it.',
    fix: 'export KEY=…\nThen start the worker again.',
  };
  const told = 'Run r1 cannot go on here: KEY is not set.\n  Why: The run needs it.\n  Fix: export KEY=…\n  Then start the worker again.';
  expect(toProblemText('r1', new RalphError(facts))).toBe(told);
  // As the process that was to go on with it says it.
  expect(
    toProblemText('r1', new Error('KEY is not set.\n  Why: The run needs it.\n\n  Fix: export KEY=…\n       Then start the worker again.')),
  ).toBe(told);
  expect(toProblemText('r1', new Error('no\u001b[2J'))).toBe('Run r1 cannot go on here: no');
});
