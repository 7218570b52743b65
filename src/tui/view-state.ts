/** The panels by their numbers. */
export const PANELS = {
  attention: 1,
  flow: 2,
  turns: 3,
  events: 4,
  turn: 5,
  evidence: 6,
} as const;

export type PanelNumber = (typeof PANELS)[keyof typeof PANELS];

/** What is shown of the chosen turn. */
export const TURN_TABS = ['prompt', 'output', 'diff', 'calls'] as const;

export type TurnTab = (typeof TURN_TABS)[number];

/** A text that a person is typing into the last row. */
export interface Typing {
  readonly what: 'filter' | 'tell-next' | 'tell-now' | 'answer';
  readonly text: string;
  /** The question that is answered. */
  readonly question?: string;
}

/** What the last row asks: how to stop, or (after ctrl+c) whether at all. */
export type Asking = 'stop' | 'interrupt';

/** What a person looks at. Nothing of it is the run's. */
export interface ViewState {
  /** The input after which the run is shown; `null`: now. */
  readonly seq: number | null;
  readonly panel: PanelNumber;
  /** Which of turns and events is shown where there is room for one of them. */
  readonly list: typeof PANELS.turns | typeof PANELS.events;
  /** Place of the chosen turn; `null`: the last one. */
  readonly turn: number | null;
  /** Place of the chosen event; `null`: the last one. */
  readonly event: number | null;
  /** The chosen gate. */
  readonly gate: number;
  readonly tab: TurnTab;
  /** Lines between what is shown and where it begins: the end of an output, the beginning of everything else. */
  readonly scroll: number;
  /** One panel has the whole screen. */
  readonly isZoomed: boolean;
  readonly page: 'run' | 'keys' | 'gate';
  readonly filter: string;
  readonly typing: Typing | null;
  readonly asking: Asking | null;
  /** What came of the last order; empty: nothing to say. */
  readonly message: { readonly text: string; readonly isBad: boolean };
}

export const FIRST_STATE: ViewState = {
  seq: null,
  panel: PANELS.turn,
  list: PANELS.turns,
  turn: null,
  event: null,
  gate: 0,
  tab: 'output',
  scroll: 0,
  isZoomed: false,
  page: 'run',
  filter: '',
  typing: null,
  asking: null,
  message: { text: '', isBad: false },
};
