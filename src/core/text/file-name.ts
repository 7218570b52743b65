import { maskControls } from './mask-controls.ts';

const ODD_BYTES = /[\uDC80-\uDCFF]/gu;

/** A name of a file for people. A byte that is no UTF-8, which comes as the lone surrogate U+DC00 + byte, is written `\xff`. */
export function showName(name: string): string {
  return name.replace(ODD_BYTES, (unit) => `\\x${(unit.charCodeAt(0) - 0xdc00).toString(16)}`);
}

/** The same as one that a terminal cannot obey. */
export function toSafeName(name: string): string {
  return maskControls(showName(name));
}
