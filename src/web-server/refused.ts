import { isRalphError, toErrorCode } from '../core/values/errors.ts';
import { cleanText } from '../views/text/plain-text.ts';
import type { ErrorBody } from '../wire/orders.ts';

/** A request that is refused, with the HTTP status of the answer. */
export class Refused extends Error {
  readonly status: number;
  readonly refusal: ErrorBody;

  /** @param code what a page knows it by; docs/guide/web.md lists them */
  constructor(status: number, code: string, what: string, more: Pick<ErrorBody, 'why' | 'fix'> = {}) {
    super(what);
    this.name = 'Refused';
    this.status = status;
    this.refusal = { code, what, ...more };
  }
}

/** Errors of Ralph whose status is not 409: something else has to be the case first. */
const STATUSES: Readonly<Record<string, number>> = {
  'answer-choice': 400,
  'journal-lost': 404,
  'no-runs': 404,
  'panel-inside': 403,
  'person-refused': 403,
  'question-unknown': 404,
  'run-ambiguous': 404,
  'run-not-begun': 404,
  'run-unknown': 404,
  'tell-words': 400,
};

/** How an error is told to who asked. What is no error of Ralph is told by its code alone. */
export function toRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!isRalphError(error))
    return new Refused(500, 'web-failed', `That could not be done (${cleanText(toErrorCode(error)).slice(0, 80)}).`);
  const { code, message, why, fix } = error;
  return new Refused(STATUSES[code] ?? 409, code, cleanText(message), {
    ...(why !== undefined && { why: cleanText(why) }),
    ...(fix !== undefined && { fix: cleanText(fix) }),
  });
}

/** A request that makes no sense. */
export function toBadRequest(what: string): Refused {
  return new Refused(400, 'web-request', what);
}
