import type { FailureClass, FailureSigns, TurnFailure } from '../../core/run/turn.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import type { ProcessResult } from '../../process/contract.ts';

const MAX_MESSAGE_LENGTH = 2000;
const MAX_JUDGED_LENGTH = 16_000;
const JSON_MESSAGE = /"message"\s*:\s*"((?:[^"\\]|\\.){1,1500})"/;

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

/** The beginning and the end of a huge error text: judging its middle takes too long. */
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

const MAX_TOLD_LENGTH = 1500;
const NOISE = /^\s*(?:at .+[:)]|[{}[\]();,]*|\d+ \|.*|\^+|timestamp=\S+ level=(?:INFO|DEBUG) .*|node:internal.*|Node\.js v[\d.]+)\s*$/;
const WARNING = /^\W*(?:warn(?:ing)?|info|debug|note|deprecat\w*)\b|DeprecationWarning|ExperimentalWarning|falling back|^\[STARTUP\]/i;
const TROUBLE =
  /error|fail|denied|refused|invalid|unauthori|limit|quota|exceed|not found|unknown|cannot|can't|unable|missing|no such|expected|required|log ?in|please/i;

/** How the agent's process ended, and when (epoch milliseconds). */
type ProcessEnd = Pick<ProcessResult, 'exitCode' | 'signal' | 'stderrTail'> & { readonly now: number };

/**
 * Why a turn failed whose agent gave no verdict of its own: from its exit, and from what it said beside its stream
 * (`words`: stray lines of standard output; standard error comes first).
 */
export function toExitFailure(exit: ProcessEnd, words: string, isStreamTorn: boolean): TurnFailure {
  const lines = findTrouble(exit.stderrTail, exit.exitCode) ?? findTrouble(words, exit.exitCode);
  const ending = describeExit(exit);
  if (lines !== undefined) {
    const judged = judgeWords(lines.join('\n'), exit.now);
    const told = [...new Set(lines.map((line) => classifyFailure({ message: line }, exit.now).message))].join(' · ');
    return { ...judged, message: toOneLine(exit.exitCode === 0 ? `${TORN}: ${told}` : `${told} (${ending})`, MAX_TOLD_LENGTH) };
  }
  return { class: 'agent', message: isStreamTorn ? `${TORN} (${ending})` : `the agent ended with ${ending}` };
}

/** A status in the last words of a program may be that of anything it did; that of its model is told as such. */
function judgeWords(words: string, now: number): TurnFailure {
  const judged = classifyFailure({ message: words }, now);
  return judged.class === 'request' && !/\bapi error\b|\bmodel\b/i.test(words) ? { ...judged, class: 'agent' } : judged;
}

const TORN = 'the stream ended before its final event';

function describeExit(exit: ProcessEnd): string {
  if (exit.exitCode !== null) return `exit code ${exit.exitCode}`;
  return exit.signal === null ? 'no exit code' : `signal ${exit.signal}`;
}

/** The lines that say most about what went wrong, at most three; `undefined` where there is none. */
function findTrouble(text: string, exitCode: number | null): readonly string[] | undefined {
  const lines = text.split('\n').map((line) => stripControls(line).trim());
  const useful = lines.filter((line) => line !== '' && !NOISE.test(line) && !WARNING.test(line));
  const telling = useful.filter((line) => TROUBLE.test(line));
  // After exit code 0 or a signal only clear words count: what else is there is chatter.
  const isChatty = exitCode === 0 || exitCode === null;
  const chosen = (telling.length > 0 || isChatty ? telling : useful).slice(-3);
  return chosen.length === 0 ? undefined : chosen;
}

function stripControls(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
  return line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000b-\u001f]/g, '');
}

const DAY_MS = 86_400_000;
/** Beyond this a number is no time. */
const LONGEST_WAIT_MS = 100 * 366 * DAY_MS;
const UNIT_MS: Readonly<Record<string, number>> = { d: DAY_MS, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Words that announce a time at which something may be tried again. */
const CUE = '(?:reset(?:s|ting)?(?:[_ ]?(?:at|in|time))?|try again|retry(?:[-_ ]?(?:after|delay))?|available|again|until|wait|renews?)';
const EPOCH = /\|\s*(\d{13}|\d{10})\b|reset[a-z_]*["'\s:=]+(\d{13}|\d{10})\b/i;
const ISO = new RegExp(String.raw`${CUE}[^\n]{0,40}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)`, 'i');
const SECONDS = /(?:resets?_in_seconds|retry[-_]after(?:_seconds)?)["'\s:=]+(\d+(?:\.\d+)?)/i;
const AMOUNT = String.raw`\d+(?:\.\d+)?\s*(?:milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])`;
const RELATIVE = new RegExp(
  String.raw`${CUE}\W{0,6}(?:(?:in|after|for)\W{0,3})?((?:${AMOUNT}(?:[\s,]|and)*|\d+d|\d+h|\d+m(?=\d)|\d+m)+)`,
  'i',
);
const CLOCK_TIME = String.raw`(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])?\.?m?\.?(?![\w:])`;
const MONTH_DAY = String.raw`(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?)`;
const ZONE = String.raw`\s*\(?((?:[A-Za-z]+(?:_[A-Za-z]+)*/[A-Za-z_/+-]+)|UTC|GMT|Z)?\)?`;
const CLOCK = new RegExp(
  String.raw`${CUE}\W{0,4}(?:at|on)?\W{0,2}(?:${MONTH_DAY}|(sun|mon|tue|wed|thu|fri|sat)[a-z]*)?(?:[\s,]|at\b|[·∙•-])*${CLOCK_TIME}${ZONE}`,
  'i',
);

/**
 * The time at which a usage limit ends, as the agent told it: an epoch after a bar, an ISO time, a span ("in 2 hours 5 minutes"),
 * a clock time ("resets 3pm (Europe/Berlin)"), a date ("try again at Nov 5th, 2025 9:20 PM"). `undefined` where it told none, or one
 * that cannot be meant (past, or more than a century away). Times without a zone are in `localZone`, by default the machine's.
 */
export function parseResetAt(text: string, now: number, localZone?: string): number | undefined {
  const found = findEpoch(text) ?? findIso(text) ?? findSpan(text, now) ?? findClock(text, now, localZone);
  if (found === undefined || !Number.isFinite(found)) return undefined;
  return found > now - DAY_MS && found < now + LONGEST_WAIT_MS ? Math.round(found) : undefined;
}

function findEpoch(text: string): number | undefined {
  const match = EPOCH.exec(text);
  const digits = match?.[1] ?? match?.[2];
  if (digits === undefined) return undefined;
  return digits.length === 10 ? Number(digits) * 1000 : Number(digits);
}

function findIso(text: string): number | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const at = Date.parse((match[1] as string).replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : at;
}

function findSpan(text: string, now: number): number | undefined {
  const seconds = SECONDS.exec(text);
  if (seconds !== null) return now + Number(seconds[1]) * 1000;
  const span = RELATIVE.exec(text)?.[1];
  if (span === undefined) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of span.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|d|h|m|s)/gi)) {
    const key = unit?.toLowerCase() === 'milli' ? 'ms' : (unit ?? '').toLowerCase();
    totalMs += Number(amount) * (UNIT_MS[key] ?? 0);
  }
  return totalMs > 0 ? now + totalMs : undefined;
}

function findClock(text: string, now: number, localZone: string | undefined): number | undefined {
  const match = CLOCK.exec(text);
  if (match === null) return undefined;
  const [, month, day, year, weekday, hourText, minuteText, half, zoneText] = match;
  if (half === undefined && minuteText === undefined) return undefined;
  const zone = zoneText === undefined ? localZone : /^(?:utc|gmt|z)$/i.test(zoneText) ? 'UTC' : zoneText;
  const today = toCalendar(now, zone);
  if (today === undefined) return undefined;
  const time = { ...today, hour: toHour(Number(hourText), half), minute: Number(minuteText ?? 0) };
  if (time.hour > 23 || time.minute > 59) return undefined;
  if (month !== undefined) return atDate(time, month, Number(day), year === undefined ? undefined : Number(year), now, zone);
  const aheadDays = weekday === undefined ? 0 : (WEEKDAYS.indexOf(weekday.toLowerCase()) - today.weekday + 7) % 7;
  const at = toEpoch({ ...time, day: time.day + aheadDays }, zone);
  return at > now ? at : toEpoch({ ...time, day: time.day + aheadDays + (weekday === undefined ? 1 : 7) }, zone);
}

function atDate(time: CalendarTime, month: string, day: number, year: number | undefined, now: number, zone: string | undefined): number {
  const date = { ...time, month: MONTHS.indexOf(month.toLowerCase()) + 1, day };
  if (year !== undefined) return toEpoch({ ...date, year }, zone);
  const at = toEpoch(date, zone);
  return at > now - DAY_MS ? at : toEpoch({ ...date, year: date.year + 1 }, zone);
}

function toHour(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** A moment as a wall clock and a calendar show it. Months count from 1; a day beyond the month's end rolls over. */
interface CalendarTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** What a clock in a time zone (IANA name; default the machine's) shows at a moment; `undefined` for a zone that does not exist. */
function toCalendar(at: number, zone: string | undefined): CalendarTime | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      ...(zone !== undefined && { timeZone: zone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return undefined;
  }
  const parts = new Map(format.formatToParts(at).map((part) => [part.type, Number(part.value)]));
  const field = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const date = { year: field('year'), month: field('month'), day: field('day') };
  return {
    ...date,
    hour: field('hour'),
    minute: field('minute'),
    weekday: new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay(),
  };
}

/** The moment at which a clock in a zone shows this time. In the hour that a zone skips or repeats, one of the two neighbours. */
function toEpoch(time: CalendarTime, zone: string | undefined): number {
  const asUtc = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute);
  let at = asUtc;
  // The offset at the guess may differ from the offset at the result: the second round corrects that.
  for (let round = 0; round < 2; round += 1) {
    const shown = toCalendar(at, zone);
    if (shown === undefined) return Number.NaN;
    at += asUtc - Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute);
  }
  return at;
}
