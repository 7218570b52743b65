import { type CalendarTime, toCalendar, toEpoch } from './calendar.ts';

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
