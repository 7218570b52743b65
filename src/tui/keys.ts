/** What a key does. */
export type KeyCommand =
  | 'panel'
  | 'next-panel'
  | 'previous-panel'
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'first'
  | 'last'
  | 'step-back'
  | 'step-on'
  | 'turn-back'
  | 'turn-on'
  | 'live'
  | 'open'
  | 'close'
  | 'tab-back'
  | 'tab-on'
  | 'filter'
  | 'tell-next'
  | 'tell-now'
  | 'answer'
  | 'stop'
  | 'leave'
  | 'keys'
  | 'redraw'
  | 'suspend'
  | 'interrupt';

/** A row of the table of keys, from which the input, the page of `?` and the page of the manual are made. */
export interface KeyRow {
  readonly command: KeyCommand;
  /** Names of keys that do it (`input/read-keys.ts`). */
  readonly keys: readonly string[];
  /** How they are shown to people. */
  readonly shown: string;
  /** What it does, for a page. */
  readonly meaning: string;
  /** What the last row of the screen says of it, key and word; absent: nothing. */
  readonly hint?: readonly [key: string, word: string];
  /** The lower, the sooner it is shown there. */
  readonly rank?: number;
  /** It changes the run: off while the past is looked at, and with `--read-only`. */
  readonly steers?: true;
}

/** Every key, in the order of the pages. */
export const KEYS: readonly KeyRow[] = [
  { command: 'panel', keys: ['1', '2', '3', '4', '5', '6'], shown: '1 to 6', meaning: 'go to a panel' },
  { command: 'next-panel', keys: ['tab'], shown: 'tab', meaning: 'go to the next panel' },
  { command: 'previous-panel', keys: ['shift+tab'], shown: 'shift+tab', meaning: 'go to the panel before' },
  { command: 'down', keys: ['j', 'down'], shown: 'j, down', meaning: 'next row of a list, next line of a text' },
  { command: 'up', keys: ['k', 'up'], shown: 'k, up', meaning: 'row or line before' },
  { command: 'page-down', keys: ['pagedown', ' '], shown: 'page down, space', meaning: 'a screen further' },
  { command: 'page-up', keys: ['pageup', 'b'], shown: 'page up, b', meaning: 'a screen back' },
  { command: 'first', keys: ['home', 'g'], shown: 'home, g', meaning: 'to the first row or line' },
  { command: 'last', keys: ['end', 'G'], shown: 'end, G', meaning: 'to the last row or line, which is followed from then on' },
  {
    command: 'step-back',
    keys: [',', 'left'],
    shown: ', left',
    meaning: 'the whole screen one journal input earlier',
    hint: [', .', 'step'],
    rank: 8,
  },
  { command: 'step-on', keys: ['.', 'right'], shown: '. right', meaning: 'one input later' },
  { command: 'turn-back', keys: ['<'], shown: '<', meaning: 'as it was when the previous turn began', hint: ['< >', 'turn'], rank: 9 },
  { command: 'turn-on', keys: ['>'], shown: '>', meaning: 'as it was when the next turn began' },
  { command: 'live', keys: ['L'], shown: 'L', meaning: 'back to now', hint: ['L', 'live'], rank: 7 },
  {
    command: 'open',
    keys: ['enter'],
    shown: 'enter',
    meaning: 'show more: the panel alone, the turn of an event, the output of a gate, the question',
    hint: ['enter', 'open'],
    rank: 6,
  },
  { command: 'close', keys: ['esc'], shown: 'esc', meaning: 'back: what was opened, the filter, what is being typed' },
  { command: 'tab-back', keys: ['['], shown: '[', meaning: 'prompt, output, diff, calls of the turn: the previous one' },
  { command: 'tab-on', keys: [']'], shown: ']', meaning: 'the next one' },
  {
    command: 'filter',
    keys: ['/'],
    shown: '/',
    meaning: 'show only turns, events and lines of the turn with these words',
    hint: ['/', 'filter'],
    rank: 10,
  },
  {
    command: 'tell-next',
    keys: [':'],
    shown: ':',
    meaning: 'tell the next hat something',
    hint: [':', 'tell next'],
    rank: 4,
    steers: true,
  },
  {
    command: 'tell-now',
    keys: ['!'],
    shown: '!',
    meaning: 'tell the hat at work something',
    hint: ['!', 'tell now'],
    rank: 5,
    steers: true,
  },
  { command: 'answer', keys: ['a'], shown: 'a', meaning: 'answer the open question', hint: ['a', 'answer'], rank: 2, steers: true },
  {
    command: 'stop',
    keys: ['s'],
    shown: 's',
    meaning: 'stop the run; asks whether now or after the turn',
    hint: ['s', 'stop'],
    rank: 3,
    steers: true,
  },
  { command: 'leave', keys: ['q'], shown: 'q', meaning: 'leave; the run continues', hint: ['q', 'leave'], rank: 1 },
  { command: 'keys', keys: ['?'], shown: '?', meaning: 'this table', hint: ['?', 'keys'], rank: 0 },
  { command: 'redraw', keys: ['ctrl+l'], shown: 'ctrl+l', meaning: 'redraw the screen' },
  { command: 'suspend', keys: ['ctrl+z'], shown: 'ctrl+z', meaning: 'back to the shell; `fg` comes back here' },
  {
    command: 'interrupt',
    keys: ['ctrl+c'],
    shown: 'ctrl+c',
    meaning: 'asks: leave, stop after the turn, or stop now; a second ctrl+c stops now',
  },
];

const BY_KEY = new Map(KEYS.flatMap((row) => row.keys.map((key) => [key, row] as const)));

/** What the last row tells of, what matters most first. */
export const HINTS: readonly KeyRow[] = KEYS.filter(({ hint }) => hint !== undefined).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));

/** What a key does; `undefined` for nothing. */
export function findKey(name: string): KeyRow | undefined {
  return BY_KEY.get(name);
}
