import { isJsonObject, type Json, parseJson } from '../../core/values/json.ts';
import type { ModelFailure } from '../../ports/model.ts';

export interface ErrorSurroundings {
  readonly isAborted: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

const MAX_CHARACTERS = 1000;

const OVERFLOW =
  /prompt is too long|context[_ ](?:length|window)|maximum context|input (?:length|token count)[^.]{0,80}exceed|too many (?:input )?tokens|request_too_large|exceeds the (?:maximum|limit)[^.]{0,40}tokens/i;
const SPENT = /usage.?limit|insufficient.?quota|exceeded your current quota|credit balance|billing|QuotaFailure|out of credits/i;
const KEY = /api key not valid|invalid.{0,10}api.?key|incorrect api key|authentication/i;
const PASSING = /overloaded|rate.?limit|internal|server.?error|api_error|unavailable|timeout|temporar|try again/i;
const NETWORK =
  /ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|UND_ERR|fetch failed|terminated|socket|network|other side closed|Cannot connect/i;
const TORN = /^AI_(?:JSONParseError|TypeValidationError|EmptyResponseBodyError|NoOutputGeneratedError|InvalidResponseDataError)$/;

/** What a call that went wrong means for the next one. Total: takes whatever was thrown. */
export function classifyError(error: unknown, { isAborted, now }: ErrorSurroundings): ModelFailure {
  if (isAborted) return { class: 'aborted', message: 'stopped' };
  const facts = readFacts(error);
  const retryAfterMs = findRetryAfter(facts, now);
  const kind = toClass(facts);
  const message = toMessage(facts);
  return retryAfterMs === null ? { class: kind, message } : { class: kind, message, retryAfterMs };
}

interface ErrorFacts {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly message: string;
  readonly name: string;
}

function readFacts(error: unknown): ErrorFacts {
  const record = typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>) : {};
  const cause = record['cause'];
  const causeText = cause instanceof Error ? ` (${'code' in cause ? `${String(cause.code)}: ` : ''}${cause.message})` : '';
  const told = typeof error === 'string' ? error : (findText(record['message']) ?? findText(record['error']) ?? safeJson(error));
  const headers = isJsonObject(record['responseHeaders']) ? record['responseHeaders'] : {};
  return {
    status: typeof record['statusCode'] === 'number' ? record['statusCode'] : null,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
    body: typeof record['responseBody'] === 'string' ? record['responseBody'] : '',
    message: `${told}${causeText}`,
    name: typeof record['name'] === 'string' ? record['name'] : '',
  };
}

function toClass({ status, headers, body, message, name }: ErrorFacts): ModelFailure['class'] {
  const text = `${message}\n${body}`;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'limit';
  if (status === 429) return SPENT.test(text) || headers['anthropic-ratelimit-unified-status'] === 'rejected' ? 'limit' : 'transient';
  if (status !== null && (status >= 500 || status === 408 || status === 409 || status === 425)) return 'transient';
  if (OVERFLOW.test(text) || status === 413) return 'context-overflow';
  if (status !== null && status >= 400) return SPENT.test(text) ? 'limit' : KEY.test(text) ? 'auth' : 'bad-request';
  if (NETWORK.test(text) || TORN.test(name)) return 'transient';
  // An error in the midst of a stream has no status; its words are all there is.
  if (SPENT.test(text)) return 'limit';
  return PASSING.test(text) ? 'transient' : 'other';
}

/** How long the provider asks to wait, in milliseconds; `null` where it does not. */
function findRetryAfter({ headers, body }: ErrorFacts, now: number): number | null {
  const exact = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(exact)) return Math.max(0, exact);
  const after = headers['retry-after'];
  if (after !== undefined) {
    const seconds = Number(after);
    const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - now;
    if (Number.isFinite(wait)) return Math.max(0, wait);
  }
  const reset = Number(headers['anthropic-ratelimit-unified-reset']);
  if (headers['anthropic-ratelimit-unified-status'] === 'rejected' && Number.isFinite(reset)) return Math.max(0, reset * 1000 - now);
  return findDelayInBody(parseJson(body));
}

/** Google says `retryDelay: "17s"` in a detail, OpenAI `resets_in_seconds`. */
function findDelayInBody(body: Json | undefined): number | null {
  const error = toErrorPart(body);
  if (!isJsonObject(error)) return null;
  const seconds = error['resets_in_seconds'];
  if (typeof seconds === 'number') return Math.max(0, seconds * 1000);
  const details = Array.isArray(error['details']) ? (error['details'] as readonly Json[]) : [];
  for (const detail of details) {
    const delay = isJsonObject(detail) && typeof detail['retryDelay'] === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(detail['retryDelay']) : null;
    if (delay !== null) return Number(delay[1]) * 1000;
  }
  return null;
}

function toErrorPart(body: Json | undefined): Json | undefined {
  return isJsonObject(body) ? body['error'] : undefined;
}

function toMessage({ status, message, body }: ErrorFacts): string {
  // Where the body has another form than the provider's own, its words are not in the message.
  const rest = body === '' || body.includes(message) ? '' : `: ${findText(toErrorPart(parseJson(body))) ?? body}`;
  const line = `${message}${rest}`.replace(/\s+/g, ' ').trim() || 'the provider did not say why';
  return `${status === null || status < 300 ? '' : `HTTP ${status}: `}${line}`.slice(0, MAX_CHARACTERS);
}

function findText(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return isJsonObject(value) ? findText(value['message']) : undefined;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
