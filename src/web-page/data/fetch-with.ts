import type { ErrorBody } from '../../wire/orders.ts';
import type { KeptToken } from './session.ts';

export const NO_ANSWER = 'No answer from the server. It is asked again.';
/** Another process serves this address now. */
const OTHER_SERVER =
  'Another ralph web answers here, which does not know this page. Open the address that it has printed, in any tab of this browser.';
export const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** The connection broke, or there is none: nobody knows whether the server heard. */
export class NoAnswerError extends Error {}

/** Asks the server with the token. Rejects with NoAnswerError where there is no answer. */
export async function fetchWith(token: KeptToken, path: string, init: RequestInit & { readonly headers?: object } = {}): Promise<Response> {
  const used = token.get();
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${used}` } });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new NoAnswerError('No answer from the server.', { cause: error });
  }
  if (response.status === 401) token.refuse(used);
  return response;
}

/** What the server says no with. */
export async function readErrorText(response: Response): Promise<string> {
  if (response.status === 401) return OTHER_SERVER;
  const refusal = (await response.json().catch(() => null)) as ErrorBody | null;
  return refusal === null ? `The server answered ${response.status}.` : toErrorBodyText(refusal);
}

/** What is refused, and what to do. */
export function toErrorBodyText({ what, fix }: ErrorBody): string {
  return fix === undefined ? what : `${what} ${fix}`;
}
