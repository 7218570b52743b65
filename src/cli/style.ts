import { styleText } from 'node:util';

/** What a piece of text is; its colour follows from it. */
export type StyleName = 'heading' | 'faint' | 'good' | 'bad' | 'warning' | 'name';

/** Gives a text its colour, or leaves it as it is. */
export type Style = (name: StyleName, text: string) => string;

const FORMATS = {
  heading: 'bold',
  faint: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  name: 'cyan',
} as const;

/** Colours for a terminal. */
export const colourStyle: Style = (name, text) => (text === '' ? '' : styleText(FORMATS[name], text, { validateStream: false }));

/** No colours. */
export const plainStyle: Style = (_name, text) => text;

/**
 * Whether a stream gets colours: a terminal that is not dumb, unless NO_COLOR is set (to anything but nothing); FORCE_COLOR for those who
 * know better.
 */
export function wantsColour(isTty: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTty && env['TERM'] !== 'dumb';
}
