/** What a key does. */
export type KeyAction =
  | 'older-turn'
  | 'newer-turn'
  | 'step-back'
  | 'step-on'
  | 'turn-back'
  | 'turn-on'
  | 'live'
  | 'play'
  | 'tab'
  | 'search'
  | 'tell'
  | 'runs'
  | 'go-turns'
  | 'go-events'
  | 'go-evidence'
  | 'go-flow'
  | 'help'
  | 'palette';

/** A key, and what it does. */
export interface KeyRow {
  /** As `KeyboardEvent.key` says it; two letters: one after the other. */
  readonly key: string;
  readonly action: KeyAction;
  readonly text: string;
}

/** Every key of the page: the one table of what is heard, what the help shows and what the palette offers. */
export const KEYS: readonly KeyRow[] = [
  { key: 'j', action: 'older-turn', text: 'the turn below' },
  { key: 'k', action: 'newer-turn', text: 'the turn above' },
  { key: ',', action: 'step-back', text: 'one input back' },
  { key: '.', action: 'step-on', text: 'one input on' },
  { key: '[', action: 'turn-back', text: 'back to where a turn began' },
  { key: ']', action: 'turn-on', text: 'on to where a turn began' },
  { key: 'L', action: 'live', text: 'back to live' },
  { key: ' ', action: 'play', text: 'play from here, or pause' },
  { key: 't', action: 'tab', text: 'the next tab of the turn' },
  { key: '/', action: 'search', text: 'search' },
  { key: ':', action: 'tell', text: 'tell the agents something' },
  { key: 'gr', action: 'runs', text: 'to the list of runs' },
  { key: 'gt', action: 'go-turns', text: 'to the turns' },
  { key: 'ge', action: 'go-events', text: 'to the events' },
  { key: 'gg', action: 'go-evidence', text: 'to the evidence of the gates' },
  { key: 'gf', action: 'go-flow', text: 'to the flow' },
  { key: '?', action: 'help', text: 'these keys' },
  { key: 'Ctrl+K', action: 'palette', text: 'find an action by its words' },
];

/** How a key is written for people. */
export function toKeyText(key: string): string {
  return key === ' ' ? 'Space' : key.length === 2 ? `${key.charAt(0)} then ${key.charAt(1)}` : key;
}

/** Finds the action of each key that is pressed; keys of two letters wait for the second. */
export function createKeyReader(): (key: string, isCtrl: boolean) => KeyAction | null {
  let first = '';
  return (key, isCtrl) => {
    const pressed = isCtrl ? `Ctrl+${key.toUpperCase()}` : first + key;
    const found = KEYS.find((row) => row.key === pressed);
    first =
      found === undefined && first === '' && !isCtrl && KEYS.some((row) => row.key.length === 2 && row.key.startsWith(key)) ? key : '';
    return found?.action ?? null;
  };
}
