/** A key that was pressed, or a text that was pasted. */
export interface Key {
  /** The character itself, or a name: `enter`, `esc`, `tab`, `up`, `ctrl+c`, …; `paste` for a text. */
  readonly name: string;
  /** What it adds to a text that is being typed; empty for keys that write nothing. */
  readonly text: string;
}

/** Turns what a terminal sends into keys. */
export interface KeyReader {
  /** The keys in the next piece; a sequence that is not finished waits for the next one. */
  readonly take: (text: string) => readonly Key[];
  /** What is left when nothing came for a while: a lone `esc`. */
  readonly settle: () => readonly Key[];
}

const ESC = '\u001b';
const PASTE = { begin: `${ESC}[200~`, end: `${ESC}[201~` };
/** More of a paste is dropped: what is told has a limit of its own. */
const MAX_PASTE = 20_000;

const NAMED: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'ctrl+c',
  '\u0015': 'ctrl+u',
  '\u001a': 'ctrl+z',
  '\u000c': 'ctrl+l',
};

/** What follows ESC. */
const SEQUENCES: Readonly<Record<string, string>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[Z': 'shift+tab',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals send begins with ESC
const WHOLE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const BEGUN = /^\u001b(?:\[[0-?]*[ -/]*|O)?$/;

/** A reader without anything read. */
export function createKeyReader(): KeyReader {
  let rest = '';
  let isDropping = false;
  const reader: KeyReader = {
    take: (text) => {
      rest += text;
      const keys: Key[] = [];
      if (isDropping) {
        const end = rest.indexOf(PASTE.end);
        isDropping = end < 0;
        rest = isDropping ? rest.slice(1 - PASTE.end.length) : rest.slice(end + PASTE.end.length);
        if (isDropping) return keys;
      }
      for (let found = readKey(rest); found !== null; found = readKey(rest)) {
        rest = rest.slice(found.length);
        if (found.key !== null) keys.push(found.key);
        if (found.isCut === true) {
          isDropping = true;
          return [...keys, ...reader.take('')];
        }
      }
      return keys;
    },
    settle: () => {
      const isLone = rest === ESC && !isDropping;
      if (!rest.startsWith(PASTE.begin) && !isDropping) rest = '';
      return isLone ? [{ name: 'esc', text: '' }] : [];
    },
  };
  return reader;
}

interface FoundKey {
  /** `null`: nothing that anybody knows. */
  readonly key: Key | null;
  readonly length: number;
  /** The rest of a paste is still to come: no key is in it. */
  readonly isCut?: boolean;
}

/** The first key of a text; `null`: there is none, or not all of it. */
function readKey(text: string): FoundKey | null {
  if (text === '') return null;
  if (text.startsWith(ESC)) return readSequence(text);
  const char = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const name = NAMED[char];
  if (name !== undefined) return { key: { name, text: '' }, length: char.length };
  return { key: char < ' ' ? null : { name: char, text: char }, length: char.length };
}

function readSequence(text: string): FoundKey | null {
  if (text.startsWith(PASTE.begin)) return readPaste(text);
  const whole = WHOLE.exec(text)?.[0];
  if (whole !== undefined) {
    const name = SEQUENCES[whole.slice(1)];
    return { key: name === undefined ? null : { name, text: '' }, length: whole.length };
  }
  if (BEGUN.test(text)) return null;
  // ESC and then something else: a person pressed it, or Alt was held.
  return { key: { name: 'esc', text: '' }, length: 1 };
}

function readPaste(text: string): FoundKey | null {
  const end = text.indexOf(PASTE.end);
  if (end < 0 && text.length < MAX_PASTE) return null;
  const pasted = text.slice(PASTE.begin.length, end < 0 ? undefined : end).slice(0, MAX_PASTE);
  // Its end may have begun.
  const length = end < 0 ? text.length + 1 - PASTE.end.length : end + PASTE.end.length;
  return { key: { name: 'paste', text: pasted }, length, isCut: end < 0 };
}
