import type { FailureClass, TurnFailure } from '../core/index.ts';
import { toOneLine } from './one-line.ts';
import { parseResetAt } from './reset-time.ts';

const MAX_MESSAGE_LENGTH = 2000;
const MAX_JUDGED_LENGTH = 16_000;
const JSON_MESSAGE = /"message"\s*:\s*"((?:[^"\\]|\\.){1,1500})"/;

/** What an agent's error fields say, before it is judged. */
export interface FailureSigns {
  /** The agent's own words, or ours. Never the assistant's text of a turn that went well. */
  readonly message: string;
  /** The HTTP status of the model's answer, where the agent names it in a field of its own. */
  readonly httpStatus?: number | null;
  /** Epoch ms of the reset, where the agent names it in a field of its own. */
  readonly resetAt?: number;
  /** Set where the agent's own error code says more than any words. */
  readonly class?: FailureClass;
}

/** A quota, a window or a balance is used up: waiting a moment is useless. */
const LIMIT =
  /usage limit|usage cap|hit your (?:\w+[\s-]){0,2}limit|(?:session|weekly|monthly|daily|opus|sonnet|five-hour|5-hour|request) limit reached|limit reached\b.{0,40}\breset|out of (?:extra )?(?:usage|credits|quota)|quota|insufficient[_ ](?:quota|funds|credit|balance)|credit balance|credits? (?:exhausted|used up|remaining: ?0)|premium requests?|billing|payment required|exceeded your (?:current|monthly|daily)|spend(?:ing)? (?:limit|cap)|per ?day|daily limit/i;
/** Words of a limit that is over in a moment, though it calls itself a quota. */
const SHORT_WINDOW = /per[ -]?minute|per[ -]?second|\bper min\b|\b[TR]PM\b|perminute|persecond/i;
const LONG_WINDOW = /per[ -]?day|perday|per[ -]?month|\bdaily\b|\bweekly\b|\bmonthly\b/i;
/** Google's advice on every 429, whatever its cause. */
const QUOTA_ADVICE = /\(e\.g\. check quota\)/gi;
/** A request that asks for a model that is not there, or that nobody offers to this key. */
const NO_MODEL =
  /(?:models?|deployment)\b.{0,120}(?:not found|not_found|does ?n[o']t exist|is not (?:available|supported|recognized|valid)|not supported|may not exist)|(?:unknown|invalid|unrecognized|no such|unsupported) model|model_not_found|issue with the selected model/i;
/** What a CLI is told to have, and its machine does not offer: claude says so of its own sandbox. */
const NO_SANDBOX = /sandbox required but unavailable/i;
/** A request that only is too long is answered by a shorter one. */
const TOO_LONG =
  /prompt is too long|context[_ ](?:length|window)|maximum context|too (?:long|large|many (?:input )?tokens)|request_too_large|token (?:limit|count)|exceeds? the (?:maximum|limit)/i;
const AUTH =
  /\/login\b|not (?:logged|signed) in|(?:log|sign) ?in (?:again|first|to)|(?:auth|agent|codex|gemini|opencode|copilot|cursor) login|unauthori[sz]ed|unauthenticated|authentication (?:required|failed|error)|authentication_error|(?:invalid|incorrect|missing|expired|revoked|no|unset)[ _]*(?:\w+[ _]){0,3}(?:api[ _-]?key|x-api-key|token|credentials?|bearer)|api[ _-]?key (?:not|is not|is missing|is invalid|missing|expired)|(?:token|session|credentials?|login) (?:has |have )?expired|no (?:auth|credentials|api key)|must (?:specify|set|provide) (?:the |an? )?\S*(?:api_key|token)|invalid (?:authentication|authorization)|permission_error|oauth/i;
const TRANSIENT =
  /rate[ _-]?limit|too many requests|overloaded|at capacity|high demand|server[_ ]?error|internal error|service unavailable|temporarily unavailable|bad gateway|gateway time-?out|econnreset|econnrefused|econnaborted|enotfound|eai_again|etimedout|epipe|enetunreach|ehostunreach|socket hang up|fetch failed|network error|connection (?:error|reset|closed|refused|lost|timed out|terminated)|(?:request|response|stream|api|connection|headers|body) timed? ?out|und_err|stream (?:disconnected|closed|ended|error|interrupted)|premature close|\bterminated\b|decoding response body|unexpected eof|socket (?:connection )?(?:was )?closed|unterminated string in json|failed to parse .{0,40}stream|json parsing failed: text|try again later|\bUNAVAILABLE\b|RESOURCE_EXHAUSTED|please retry/i;
const STATUS =
  /(?:status(?: code)?|http(?: error)?|code|api error)\W{0,6}([45]\d\d)\b|^\W{0,2}([45]\d\d)\b(?=[\s{:])|\b([45]\d\d) (?:unauthorized|forbidden|payment|too many|internal|bad gateway|service|gateway|not found|status)/i;

/** Judges signs of a failure: status first, then words. `now` is needed for reset times told relative to it. */
export function classifyFailure(signs: FailureSigns, now: number): TurnFailure {
  const text = withoutMiddle(signs.message.trim());
  const failureClass = signs.class ?? toFailureClass(text, signs.httpStatus ?? findStatus(text));
  const base = { class: failureClass, message: text === '' ? 'the agent failed without a word' : toReadableError(text) };
  const resetAt = failureClass === 'limit' ? (signs.resetAt ?? parseResetAt(text, now)) : undefined;
  return resetAt === undefined ? base : { ...base, resetAt };
}

/** What an error says first and last; the middle of a huge one is not worth the time of looking through it. */
function withoutMiddle(text: string): string {
  return text.length > MAX_JUDGED_LENGTH ? `${text.slice(0, MAX_JUDGED_LENGTH / 2)}\n${text.slice(-MAX_JUDGED_LENGTH / 2)}` : text;
}

/** An error text on one line, with the message of an error in JSON instead of all its fields. */
export function toReadableError(text: string): string {
  const json = /\{[\s\S]*\}/.exec(text.slice(0, MAX_MESSAGE_LENGTH * 10))?.[0] ?? '';
  const told = JSON_MESSAGE.exec(json)?.[1]
    ?.replace(/\\n/g, ' ')
    .replace(/\\(["\\])/g, '$1');
  return toOneLine(told === undefined ? text : text.replace(json, () => told), MAX_MESSAGE_LENGTH);
}

/** The HTTP status that an error text names, or `null`. A bare number in prose does not count. */
export function findStatus(text: string): number | null {
  const match = STATUS.exec(text);
  const digits = match?.[1] ?? match?.[2] ?? match?.[3];
  return digits === undefined ? null : Number(digits);
}

function toFailureClass(text: string, status: number | null): FailureClass {
  const isLimit = LIMIT.test(text.replace(QUOTA_ADVICE, '')) && (LONG_WINDOW.test(text) || !SHORT_WINDOW.test(text));
  if (status === 402) return 'limit';
  if (status === 401) return 'auth';
  if (status === 403) return isLimit ? 'limit' : 'auth';
  if (isLimit && !isOverload(status)) return 'limit';
  if (status === 429 || status === 408 || isOverload(status)) return 'transient';
  if (AUTH.test(text)) return 'auth';
  if (NO_MODEL.test(text) || NO_SANDBOX.test(text)) return 'request';
  if (status !== null && isRefusal(status)) return TOO_LONG.test(text) ? 'agent' : 'request';
  return TRANSIENT.test(text) ? 'transient' : 'agent';
}

/** 408 and 409 pass, 413 is about length. */
function isRefusal(status: number): boolean {
  return status === 400 || status === 404 || status === 405 || status === 415 || status === 422;
}

function isOverload(status: number | null): boolean {
  return status !== null && status >= 500;
}
