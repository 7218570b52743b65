import { expect, it } from 'vitest';
import { RalphError } from '../core/values/errors.ts';
import { toTaskProblem } from './queue-task.ts';

it('a task that the system kept from its begin says that it stays, and how it is begun again', () => {
  const error = toTaskProblem(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
  expect(error).toMatchObject({ code: 'task-failed', message: 'It could not begin: ENOSPC: no space left on device' });
  expect(error.why).toContain('stays in the queue');
  expect(error.fix).toContain('ralph queue run');
  const own = new RalphError({ code: 'state-folder', what: 'No.', fix: 'Yes.' });
  expect(toTaskProblem(own)).toBe(own);
});
