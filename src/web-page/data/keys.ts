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
  | 'tab-back'
  | 'tab-on'
  | 'search'
  | 'tell-next'
  | 'tell-now'
  | 'answer'
  | 'stop'
  | 'runs'
  | 'go-turns'
  | 'go-events'
  | 'go-evidence'
  | 'go-flow'
  | 'help'
  | 'palette';

/** A key, and what it does. */
export interface PageKey {
  /** As `KeyboardEvent.key` says it; two letters: one after the other. */
  readonly key: string;
  readonly action: KeyAction;
  readonly text: string;
  /** Where it does nothing it is not listed: it steers the run, or goes to other runs. Absent: it works in a file, too. */
  readonly needs?: 'steering' | 'server';
}

/** Every key of the page, the same as in the terminal view (`src/tui/keys.ts`) where both do it: the one table of what is heard, what the help shows and what the palette offers. */
export const PAGE_KEYS: readonly PageKey[] = [
  { key: 'j', action: 'older-turn', text: 'the turn below' },
  { key: 'k', action: 'newer-turn', text: 'the turn above' },
  { key: ',', action: 'step-back', text: 'one input back' },
  { key: '.', action: 'step-on', text: 'one input on' },
  { key: '<', action: 'turn-back', text: 'back to where a turn began' },
  { key: '>', action: 'turn-on', text: 'on to where a turn began' },
  { key: 'L', action: 'live', text: 'back to now' },
  { key: ' ', action: 'play', text: 'play from here, or pause' },
  { key: '[', action: 'tab-back', text: 'the tab of the turn before this one' },
  { key: ']', action: 'tab-on', text: 'the next tab of the turn' },
  { key: '/', action: 'search', text: 'search' },
  { key: ':', action: 'tell-next', text: 'tell the next hat something', needs: 'steering' },
  { key: '!', action: 'tell-now', text: 'tell the hat at work something', needs: 'steering' },
  { key: 'a', action: 'answer', text: 'to the answers of the question that is open', needs: 'steering' },
  { key: 's', action: 'stop', text: 'to the buttons that stop the run', needs: 'steering' },
  { key: 'gr', action: 'runs', text: 'to the list of runs', needs: 'server' },
  { key: 'gt', action: 'go-turns', text: 'to the turns' },
  { key: 'ge', action: 'go-events', text: 'to the events' },
  { key: 'gg', action: 'go-evidence', text: 'to the evidence of the gates' },
  { key: 'gf', action: 'go-flow', text: 'to the flow' },
  { key: '?', action: 'help', text: 'these keys' },
  { key: 'Ctrl+K', action: 'palette', text: 'find an action by its words' },
];

/** The keys that do something where a run is shown this way. */
export function listKeys({ canSteer, hasServer }: { readonly canSteer: boolean; readonly hasServer: boolean }): readonly PageKey[] {
  return PAGE_KEYS.filter(({ needs }) => (needs === 'steering' ? canSteer : needs === undefined || hasServer));
}

/** How a key is written for people. */
export function toKeyText(key: string): string {
  return key === ' ' ? 'Space' : key.length === 2 ? `${key.charAt(0)} then ${key.charAt(1)}` : key;
}

/** Finds the action of each key that is pressed; keys of two letters wait for the second. */
export function createActionFinder(): (key: string, isCtrl: boolean) => KeyAction | null {
  let first = '';
  return (key, isCtrl) => {
    const pressed = isCtrl ? `Ctrl+${key.toUpperCase()}` : first + key;
    const found = PAGE_KEYS.find((row) => row.key === pressed);
    first =
      found === undefined && first === '' && !isCtrl && PAGE_KEYS.some((row) => row.key.length === 2 && row.key.startsWith(key)) ? key : '';
    return found?.action ?? null;
  };
}
