/** Takes out of a text what a terminal would obey, piece by piece. */
export interface TextCleaner {
  /** Cleans the next piece; a sequence that is cut in two by the pieces is taken out all the same. */
  readonly take: (text: string) => string;
}

/** `text`: plain; `escape`: after ESC; `csi`: in a control sequence; `string`: in an OSC, DCS or the like; `string-end`: after ESC in one. */
type Place = 'text' | 'escape' | 'csi' | 'string' | 'string-end';

const ESC = '\u001b';
/** An unfinished sequence swallows no more than this. */
const LONGEST_SEQUENCE = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const SUSPICIOUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const INVISIBLE = /^[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]$/;

/**
 * What agents say is data from outside: escape sequences, control characters and marks that turn the direction of writing are taken out;
 * line breaks and tabs stay, `\r\n` and a lone `\r` become a line break.
 */
export function createTextCleaner(): TextCleaner {
  let place: Place = 'text';
  let length = 0;
  let returned = false;

  const inText = (character: string): string => {
    if (returned) {
      returned = false;
      return character === '\n' ? '\n' : `\n${inText(character)}`;
    }
    if (character === '\r') {
      returned = true;
      return '';
    }
    place = openSequence(character);
    length = 0;
    return INVISIBLE.test(character) ? '' : character;
  };
  const take = (character: string): string => {
    if (place === 'text') return inText(character);
    length += 1;
    if (length > LONGEST_SEQUENCE || breaksOff(place, character)) return inText(character);
    place = continueSequence(place, character);
    return '';
  };

  return {
    take: (text) => {
      if (place === 'text' && !returned && !SUSPICIOUS.test(text)) return text;
      let cleaned = '';
      for (let index = 0; index < text.length; index += 1) cleaned += take(text.charAt(index));
      return cleaned;
    },
  };
}

/** Which sequence a character opens. */
function openSequence(character: string): Place {
  if (character === ESC) return 'escape';
  if (character === '\u009b') return 'csi';
  return '\u0090\u0098\u009d\u009e\u009f'.includes(character) ? 'string' : 'text';
}

/** True for what no sequence goes on with: it is shown. */
function breaksOff(place: Place, character: string): boolean {
  return character === '\n' || ((place === 'escape' || place === 'csi') && character > '~');
}

function continueSequence(place: Place, character: string): Place {
  if (place === 'escape') return continueEscape(character);
  if (place === 'csi') return character >= ' ' && character <= '?' ? 'csi' : 'text';
  if (character === '\u0007' || character === '\u009c') return 'text';
  if (place === 'string-end' && character === '\\') return 'text';
  return character === ESC ? 'string-end' : 'string';
}

function continueEscape(character: string): Place {
  if (character === '[') return 'csi';
  if (']PX^_'.includes(character)) return 'string';
  return character === ESC || (character >= ' ' && character <= '/') ? 'escape' : 'text';
}

/** A whole text, cleaned. */
export function cleanText(text: string): string {
  return createTextCleaner().take(text);
}
