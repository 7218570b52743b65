/** A moment as a wall clock and a calendar show it. Months count from 1; a day beyond the month's end rolls over. */
export interface CalendarTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** What a clock in a time zone (IANA name; default the machine's) shows at a moment; `undefined` for a zone that does not exist. */
export function toCalendar(at: number, zone: string | undefined): CalendarTime | undefined {
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
export function toEpoch(time: CalendarTime, zone: string | undefined): number {
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
