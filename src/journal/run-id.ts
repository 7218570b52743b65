/** Digits and small letters in ASCII order, without those that are easily mistaken for others (i, l, o, u). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_CHARACTERS = 3;

const RUN_ID = /^\d{8}-\d{6}-[0-9a-hjkmnp-tv-z]{5}$/;

/**
 * A name for a run: `20261121-223331-k7f2a`. Date and time are UTC; the first two characters of the last part are the milliseconds, so that
 * ids sort by time as text; the other three are random.
 *
 * @param now epoch milliseconds.
 * @param random a number from 0 to below 1, as `Math.random`.
 */
export function createRunId(now: number, random: () => number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split(/[TZ.]/);
  const milliseconds = Math.floor(now) % 1000;
  const tail = Array.from({ length: RANDOM_CHARACTERS }, () => toCharacter(random() * ALPHABET.length));
  return [
    date.replaceAll('-', ''),
    time.replaceAll(':', ''),
    toCharacter(milliseconds / 32) + toCharacter(milliseconds % 32) + tail.join(''),
  ].join('-');
}

function toCharacter(value: number): string {
  return ALPHABET.charAt(Math.floor(value));
}

/** True for what {@link createRunId} makes. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}
