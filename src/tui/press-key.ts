import type { QuestionRow } from '../wire/run-frame.ts';
import type { Key } from './input/read-keys.ts';
import { findKey, type KeyCommand } from './keys.ts';
import { PANELS, type PanelNumber, TURN_TABS, type ViewState } from './view-state.ts';

/** What of the run a key may depend on. */
export interface PressFacts {
  readonly lastSeq: number;
  /** The input that is shown. */
  readonly seq: number;
  /** Inputs with which turns began, in order. */
  readonly turnStarts: () => readonly number[];
  /** The place so many rows further in a list, as it is filtered; `null`: the list is empty. */
  readonly moveTurn: (from: number | null, rows: number) => number | null;
  readonly moveEvent: (from: number | null, rows: number) => number | null;
  /** Place of the turn in which the chosen event came up; `null`: none did. */
  readonly turnOfEvent: () => number | null;
  readonly gates: number;
  /** Whether the chosen gate has an output that was kept. */
  readonly hasGateOutput: boolean;
  /** The questions that are open. */
  readonly open: readonly QuestionRow[];
  /** How far the text that is shown can be scrolled. */
  readonly maxScroll: number;
  /** Rows of a screen of text. */
  readonly textRows: number;
  /** Why nobody may steer now; `null`: it may be steered. */
  readonly whyNot: string | null;
  /** Nobody may steer at any time. */
  readonly isReadOnly: boolean;
  /** The run has not ended. */
  readonly isUnderWay: boolean;
}

/** What a person wants done. */
export type Order =
  | { readonly kind: 'tell'; readonly text: string; readonly when: 'next' | 'now' }
  | { readonly kind: 'answer'; readonly question: string; readonly choice: string }
  | { readonly kind: 'stop'; readonly how: 'after' | 'now' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'suspend' };

/** What became of the view, and what is to be done. */
export interface Pressed {
  readonly state: ViewState;
  readonly order: Order | null;
}

/** What a key makes of the view. Total: a key that does nothing leaves everything as it is. */
export function pressKey(state: ViewState, key: Key, facts: PressFacts): Pressed {
  const quiet = state.message.text === '' ? state : { ...state, message: { text: '', isBad: false } };
  if (quiet.asking !== null) return answerAsking(quiet, key, facts);
  if (quiet.typing !== null && key.name !== 'ctrl+c') return type(quiet, key, facts);
  const row = findKey(key.name);
  if (quiet.page !== 'run' && (row === undefined || !EVERYWHERE.has(row.command))) return readPage(quiet, row?.command, facts);
  if (row === undefined) return keep(quiet);
  if (row.steers === true && facts.whyNot !== null) return keep(withMessage(quiet, facts.whyNot, true));
  return COMMANDS[row.command](quiet, facts, key);
}

/** What a page that lies over everything does not take for itself. */
const EVERYWHERE: ReadonlySet<KeyCommand> = new Set(['interrupt', 'redraw', 'suspend']);

type Perform = (state: ViewState, facts: PressFacts, key: Key) => Pressed;

const COMMANDS: Readonly<Record<KeyCommand, Perform>> = {
  panel: (state, _, { name }) => keep(goTo(state, Number(name) as PanelNumber)),
  'next-panel': (state) => keep(goTo(state, ((state.panel % 6) + 1) as PanelNumber)),
  'previous-panel': (state) => keep(goTo(state, (((state.panel + 4) % 6) + 1) as PanelNumber)),
  up: (state, facts) => keep(move(state, -1, facts)),
  down: (state, facts) => keep(move(state, 1, facts)),
  'page-up': (state, facts) => keep(move(state, 1 - facts.textRows, facts)),
  'page-down': (state, facts) => keep(move(state, facts.textRows - 1, facts)),
  first: (state, facts) => keep(move(state, Number.NEGATIVE_INFINITY, facts)),
  last: (state, facts) => keep(followList(move(state, Number.POSITIVE_INFINITY, facts))),
  'step-back': (state, facts) => keep(goToInput(state, facts.seq - 1, facts)),
  'step-on': (state, facts) => keep(goToInput(state, facts.seq + 1, facts)),
  'turn-back': (state, facts) => keep(goToInput(state, facts.turnStarts().findLast((seq) => seq < facts.seq) ?? 1, facts)),
  'turn-on': (state, facts) => keep(goToInput(state, facts.turnStarts().find((seq) => seq > facts.seq) ?? facts.lastSeq, facts)),
  live: (state) => keep({ ...state, seq: null, turn: null, event: null, scroll: 0 }),
  open,
  close: (state) => keep(state.isZoomed ? { ...state, isZoomed: false } : { ...state, filter: '' }),
  'tab-back': (state) => keep(turnTab(state, -1)),
  'tab-on': (state) => keep(turnTab(state, 1)),
  filter: (state) => keep({ ...state, typing: { what: 'filter', text: state.filter } }),
  'tell-next': (state, facts) => startTelling(state, 'tell-next', facts),
  'tell-now': (state, facts) => startTelling(state, 'tell-now', facts),
  answer: (state, facts) => keep(startAnswer(state, facts)),
  stop: (state, facts) =>
    keep(facts.isUnderWay ? { ...state, asking: 'stop' } : withMessage(state, 'It has ended: there is nothing to stop.', true)),
  leave: (state) => order(state, { kind: 'leave' }),
  keys: (state) => keep({ ...state, page: 'keys', scroll: 0 }),
  redraw: (state) => order(state, { kind: 'redraw' }),
  suspend: (state) => order(state, { kind: 'suspend' }),
  interrupt: (state) => keep({ ...state, typing: null, asking: 'interrupt' }),
};

function keep(state: ViewState): Pressed {
  return { state, order: null };
}

function order(state: ViewState, wanted: Order): Pressed {
  return { state, order: wanted };
}

/** The view with a word about what was done, or why not. */
export function withMessage(state: ViewState, text: string, isBad: boolean): ViewState {
  return { ...state, message: { text, isBad } };
}

function goTo(state: ViewState, panel: PanelNumber): ViewState {
  const list = panel === PANELS.turns || panel === PANELS.events ? panel : state.list;
  return { ...state, panel, list };
}

function turnTab(state: ViewState, step: 1 | -1): ViewState {
  const at = TURN_TABS.indexOf(state.tab);
  const tab = TURN_TABS[(at + step + TURN_TABS.length) % TURN_TABS.length] ?? state.tab;
  return { ...state, tab, scroll: 0, panel: PANELS.turn };
}

/** The last input is now. */
function goToInput(state: ViewState, seq: number, { lastSeq }: PressFacts): ViewState {
  const moved = { ...state, turn: null, event: null, scroll: 0 };
  return { ...moved, seq: seq >= lastSeq ? null : Math.max(1, seq) };
}

function move(state: ViewState, rows: number, facts: PressFacts): ViewState {
  if (state.panel === PANELS.turns) return { ...state, turn: facts.moveTurn(state.turn, rows), scroll: 0 };
  if (state.panel === PANELS.events) return { ...state, event: facts.moveEvent(state.event, rows) };
  if (state.panel === PANELS.evidence) return { ...state, gate: clamp(state.gate + rows, facts.gates - 1) };
  return state.panel === PANELS.turn ? scrollText(state, rows, facts) : state;
}

/** An output is read from its end, everything else from its beginning. */
function scrollText(state: ViewState, rows: number, { maxScroll }: PressFacts): ViewState {
  const isFromEnd = state.page === 'run' && state.tab === 'output';
  return { ...state, scroll: clamp(state.scroll + (isFromEnd ? -rows : rows), maxScroll) };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, Math.max(0, most)));
}

/** Who goes to the last row follows the list from then on. */
function followList(state: ViewState): ViewState {
  if (state.panel === PANELS.turns) return { ...state, turn: null };
  return state.panel === PANELS.events ? { ...state, event: null } : state;
}

function open(state: ViewState, facts: PressFacts): Pressed {
  if (state.panel === PANELS.attention && facts.open.length > 0 && facts.whyNot === null) return keep(startAnswer(state, facts));
  if (state.panel === PANELS.turns) return keep({ ...state, panel: PANELS.turn, scroll: 0 });
  if (state.panel === PANELS.events) {
    const turn = facts.turnOfEvent();
    return keep(turn === null ? withMessage(state, 'No turn published it.', true) : { ...state, turn, panel: PANELS.turn, scroll: 0 });
  }
  if (state.panel !== PANELS.evidence) return keep({ ...state, isZoomed: !state.isZoomed });
  return keep(facts.hasGateOutput ? { ...state, page: 'gate', scroll: 0 } : withMessage(state, 'No output of it was kept.', true));
}

function startTelling(state: ViewState, what: 'tell-next' | 'tell-now', { isUnderWay }: PressFacts): Pressed {
  return keep(
    isUnderWay ? { ...state, typing: { what, text: '' } } : withMessage(state, 'It has ended: nobody works who could be told.', true),
  );
}

function startAnswer(state: ViewState, { open: questions }: PressFacts): ViewState {
  const [first] = questions;
  if (first === undefined) return withMessage(state, 'Nothing is asked.', true);
  return { ...state, typing: { what: 'answer', text: '', question: first.id } };
}

/** A page that lies over everything is read, and closed by almost any key. */
function readPage(state: ViewState, command: KeyCommand | undefined, facts: PressFacts): Pressed {
  const rows: Readonly<Partial<Record<KeyCommand, number>>> = {
    up: -1,
    down: 1,
    'page-up': 1 - facts.textRows,
    'page-down': facts.textRows - 1,
    first: Number.NEGATIVE_INFINITY,
    last: Number.POSITIVE_INFINITY,
  };
  const moved = command === undefined ? undefined : rows[command];
  return keep(moved === undefined ? { ...state, page: 'run', scroll: 0 } : scrollText(state, moved, facts));
}

function answerAsking(state: ViewState, { name }: Key, { whyNot, isReadOnly, isUnderWay }: PressFacts): Pressed {
  const done = { ...state, asking: null };
  if (name === 'q' && state.asking === 'interrupt') return order(done, { kind: 'leave' });
  const how = name === 'a' ? 'after' : name === 'n' || (name === 'ctrl+c' && state.asking === 'interrupt') ? 'now' : null;
  if (how === null) return keep(done);
  if (!isUnderWay) return order(done, { kind: 'leave' });
  // Who presses ctrl+c twice wants it to end; that the past is on the screen does not matter.
  if (whyNot !== null && (isReadOnly || name !== 'ctrl+c')) return keep(withMessage(done, whyNot, true));
  return order(done, { kind: 'stop', how });
}

/** More is not told at once. */
const MAX_TYPED = 4000;

function type(state: ViewState, key: Key, facts: PressFacts): Pressed {
  const { typing } = state;
  if (typing === null) return keep(state);
  if (key.name === 'esc') return keep({ ...state, typing: null, ...(typing.what === 'filter' && { filter: '' }) });
  if (key.name === 'enter') return finishTyping({ ...state, typing: null }, typing, facts);
  const text =
    key.name === 'ctrl+u'
      ? ''
      : key.name === 'backspace'
        ? [...typing.text].slice(0, -1).join('')
        : `${typing.text}${key.text.replace(/\s+/g, ' ')}`.slice(0, MAX_TYPED);
  const next = { ...state, typing: { ...typing, text } };
  return keep(typing.what === 'filter' ? { ...next, filter: text, turn: null, event: null, scroll: 0 } : next);
}

function finishTyping(
  state: ViewState,
  { what, text, question }: NonNullable<ViewState['typing']>,
  { open: questions, whyNot }: PressFacts,
): Pressed {
  const words = text.trim();
  if (what === 'filter' || words === '') return keep(state);
  if (whyNot !== null) return keep(withMessage(state, whyNot, true));
  if (what !== 'answer') return order(state, { kind: 'tell', text: words, when: what === 'tell-now' ? 'now' : 'next' });
  const asked = questions.find(({ id }) => id === question);
  if (asked === undefined) return keep(withMessage(state, 'It is not open any more.', true));
  const choice = findChoice(asked.choices, words);
  if (choice === undefined) return keep(withMessage(state, `The choices are ${asked.choices.map((_, at) => at + 1).join(', ')}.`, true));
  return order(state, { kind: 'answer', question: asked.id, choice });
}

/** By its number, by itself, or by a beginning that no other choice has. */
function findChoice(choices: readonly string[], words: string): string | undefined {
  const wanted = words.toLowerCase();
  const exact = choices.find((choice) => choice.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const begun = choices.filter((choice) => choice.toLowerCase().startsWith(wanted));
  return begun.length === 1 ? begun[0] : /^\d+$/.test(words) ? choices[Number(words) - 1] : undefined;
}
