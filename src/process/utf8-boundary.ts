/** Bytes of the longest UTF-8 character. */
const maxCharacterBytes = 4;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Bytes of the character that this byte begins; 1 for ASCII and for what begins none. */
function characterBytes(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1;
  return lead >= 0xc0 ? 2 : 1;
}

/** Where to cut `bytes[start..end)` at its end so that no character is torn: `end`, or up to 3 bytes before it. */
export function lastWholeCharacter(bytes: Uint8Array, start: number, end: number): number {
  const earliest = Math.max(start, end - maxCharacterBytes + 1);
  for (let index = end - 1; index >= earliest; index -= 1) {
    const byte = bytes[index] ?? 0;
    if (isContinuation(byte)) continue;
    return index + characterBytes(byte) > end ? index : end;
  }
  return end;
}

/** The first place at or after `start`, at most 3 bytes later, where a character begins. */
export function firstWholeCharacter(bytes: Uint8Array, start: number, end: number): number {
  const latest = Math.min(end, start + maxCharacterBytes - 1);
  let index = start;
  while (index < latest && isContinuation(bytes[index])) index += 1;
  return index;
}
