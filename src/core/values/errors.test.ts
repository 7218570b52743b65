import { describe, expect, it } from 'vitest';
import { isRalphError, RalphError, toErrorCode, toErrorMessage } from './errors.ts';

describe('errors', () => {
  it('carry what a person and a program need', () => {
    const cause = new Error('below');
    const error = new RalphError({ code: 'no-prompt', what: 'There is no prompt.', why: 'why', fix: 'fix', exitCode: 2, cause });
    expect(error).toMatchObject({ message: 'There is no prompt.', code: 'no-prompt', why: 'why', fix: 'fix', exitCode: 2, cause });
  });

  it('exit with 1 unless they say otherwise', () => {
    expect(new RalphError({ code: 'a', what: 'b' }).exitCode).toBe(1);
  });

  it('are known also when they come from a second copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { name: 'RalphError', exitCode: 1 });
    expect([
      isRalphError(foreign),
      isRalphError(new RalphError({ code: 'a', what: 'b' })),
      isRalphError(new Error('x')),
      isRalphError(null),
    ]).toEqual([true, true, false, false]);
  });

  it('of the system are named by their code, whatever is thrown', () => {
    const full = Object.assign(new Error('disk'), { code: 'ENOSPC' });
    expect([full, new TypeError('x'), 'text', undefined, null].map(toErrorCode)).toEqual([
      'ENOSPC',
      'TypeError',
      'unknown',
      'unknown',
      'unknown',
    ]);
  });

  it('say their message, a thrown text itself', () => {
    expect([new Error('disk full'), 'text', undefined].map(toErrorMessage)).toEqual(['disk full', 'text', 'undefined']);
  });
});
