/**
 * A 53-bit non-cryptographic hash of a text, as 14 hexadecimal digits (two 32-bit multiply-xor lanes).
 * For telling payloads apart in loop detection; never for anything that an attacker would like to forge.
 */
export function toTextHash(text: string): string {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x27d4eb2f);
    high = Math.imul(high ^ unit, 0x165667b1);
  }
  low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) ^ Math.imul(high ^ (high >>> 13), 0x297a2d39);
  high = Math.imul(high ^ (high >>> 16), 0x2c1b3c6d) ^ Math.imul(low ^ (low >>> 12), 0x297a2d39);
  const value = (high >>> 0) % 0x200000;
  return value.toString(16).padStart(6, '0') + (low >>> 0).toString(16).padStart(8, '0');
}
