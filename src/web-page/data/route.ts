/** What of a turn is shown. */
export const PAGE_TABS = ['why', 'output', 'prompt', 'diff', 'calls'] as const;

export type PageTab = (typeof PAGE_TABS)[number];

/** What the page shows, as its address says it. */
export interface PageRoute {
  /** `null`: the list of runs. */
  readonly run: string | null;
  /** `null`: now. */
  readonly seq: number | null;
  /** Place of the selected turn; `null`: the newest. */
  readonly turn: number | null;
  readonly tab: PageTab;
  /** Byte of the text at which it is opened; `null`: its end. */
  readonly from: number | null;
  /** Words that are searched for; empty: none. */
  readonly words: string;
}

export const NO_ROUTE: PageRoute = { run: null, seq: null, turn: null, tab: 'why', from: null, words: '' };

/** The state that the fragment of an address (`#/run/KEY?seq=131&turn=6&tab=diff`) names. What it names wrongly is left out. */
export function parseRoute(hash: string): PageRoute {
  const [, key = null, query = ''] = /^#\/run\/([0-9a-z]{1,64})(?:\?(.*))?$/.exec(hash) ?? [];
  if (key === null) return NO_ROUTE;
  const values = new URLSearchParams(query);
  return {
    run: key,
    seq: toNumber(values.get('seq'), 1),
    turn: toNumber(values.get('turn'), 0),
    tab: PAGE_TABS.find((tab) => tab === values.get('tab')) ?? 'why',
    from: toNumber(values.get('from'), 0),
    words: values.get('words') ?? '',
  };
}

/** The fragment for a state. */
export function formatRoute({ run, seq, turn, tab, from, words }: PageRoute): string {
  if (run === null) return '#/';
  const values = new URLSearchParams();
  if (seq !== null) values.set('seq', String(seq));
  if (turn !== null) values.set('turn', String(turn));
  if (tab !== 'why') values.set('tab', tab);
  if (from !== null) values.set('from', String(from));
  if (words !== '') values.set('words', words);
  const query = values.toString();
  return `#/run/${run}${query === '' ? '' : `?${query}`}`;
}

function toNumber(text: string | null, least: number): number | null {
  const value = text === null || !/^\d{1,12}$/.test(text) ? -1 : Number(text);
  return value >= least ? value : null;
}
