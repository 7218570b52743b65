import { isUtf8 } from 'node:buffer';
import { lstatSync, type Stats, statSync } from 'node:fs';
import { tryOr } from '../core/values/result.ts';

/**
 * Names of files are bytes. One that is UTF-8 is that text; any other is told with each byte from 0x80 on as the lone surrogate U+DC00 + byte, which no
 * text holds, so that it leads back to the same bytes.
 */
const ODD = /[\uDC80-\uDCFF]/u;

/** What git or the system printed, names that end in a zero byte or fill the whole. */
export function decodeNames(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const parts: string[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const end = bytes.indexOf(0, start);
    const part = bytes.subarray(start, end < 0 ? bytes.length : end);
    parts.push(isUtf8(part) ? part.toString('utf8') : part.toString('latin1').replace(/[\u0080-\u00FF]/g, toSurrogate));
    start = end < 0 ? bytes.length + 1 : end + 1;
  }
  return parts.join('\0');
}

function toSurrogate(character: string): string {
  return String.fromCharCode(0xdc00 + character.charCodeAt(0));
}

/** Whether a name is no UTF-8. */
export function isOddName(name: string): boolean {
  return ODD.test(name);
}

/** A text with names in it as the bytes that they are. */
export function encodeNames(text: string): string | Buffer {
  if (!isOddName(text)) return text;
  return Buffer.concat([...text].map((unit) => (isOddName(unit) ? Buffer.of(unit.charCodeAt(0) - 0xdc00) : Buffer.from(unit))));
}

/** What a file looks like from outside; `folder`; `null` where there is none. The time of the last change cannot be set by a program. */
export function toLook(path: string): string | null {
  return describe(() => lstatSync(encodeNames(path)));
}

/** The same, of a link together with what it leads to. */
export function toLookThrough(path: string): string | null {
  const look = toLook(path);
  return look === null ? null : `${look} ${describe(() => statSync(encodeNames(path)))}`;
}

function describe(look: () => Stats): string | null {
  return tryOr(() => {
    const { mode, size, mtimeMs, ctimeMs, ino, nlink } = look();
    return (mode & 0o170000) === 0o040000 ? 'folder' : `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${nlink}`;
  }, null);
}
