/** What a piece of a screen is; its colour follows from it. Everything that a colour says is said by a word or a mark, too. */
export type Tone = 'plain' | 'heading' | 'faint' | 'good' | 'bad' | 'warning' | 'name' | 'chosen' | 'urgent';

/** Parameters of the terminal's sequence for colours and weight (SGR); empty: as the terminal writes by itself. */
export type Palette = Readonly<Record<Tone, string>>;

/** The sixteen colours that every terminal has, in whatever shades its person likes. */
export const COLOURS: Palette = {
  plain: '',
  heading: '1',
  faint: '2',
  good: '32',
  bad: '31',
  warning: '33',
  name: '36',
  chosen: '7',
  urgent: '1;7;33',
};

/** Without colours (NO_COLOR): weight alone. */
export const NO_COLOURS: Palette = {
  plain: '',
  heading: '1',
  faint: '2',
  good: '',
  bad: '1',
  warning: '1',
  name: '',
  chosen: '7',
  urgent: '1;7',
};
