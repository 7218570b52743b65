import type { Refusal } from '../../core/values/result.ts';
import { quotePath } from './check-path-text.ts';

/** Files that a model may want to look at, but not as text: by the bytes they begin with. */
const SIGNATURES: readonly (readonly [kind: string, bytes: readonly number[]])[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a BMP image', [0x42, 0x4d]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['text in UTF-16', [0xff, 0xfe]],
  ['text in UTF-16', [0xfe, 0xff]],
];

/** What models can be shown, by its kind. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'a PNG image': 'image/png',
  'a JPEG image': 'image/jpeg',
  'a GIF image': 'image/gif',
  'a WebP image': 'image/webp',
  'a PDF document': 'application/pdf',
};

/** The media type of a file that some models can be shown, by its first `SNIFFED_BYTES` or fewer; `null` for any other. */
export function findMediaType(bytes: Buffer): string | null {
  return MEDIA_TYPES[findKind(bytes) ?? ''] ?? null;
}

/** How much of a file is looked at to tell what it is. */
export const SNIFFED_BYTES = 8192;

/** True where a NUL tells that this is no text. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

/**
 * Why the beginning of a file is not read as text, and what to do instead; `null` for text.
 *
 * @param bytes the first `SNIFFED_BYTES` or fewer.
 */
export function explainBinary(bytes: Buffer, shownPath: string): Refusal | null {
  const kind = findKind(bytes);
  if (kind === null && !isBinary(bytes)) return null;
  const reason = `${quotePath(shownPath)} is ${kind ?? 'a binary file'}, not text that can be read line by line.`;
  return { reason, advice: toAdvice(kind) };
}

function toAdvice(kind: string | null): string {
  if (kind?.endsWith('image') === true)
    return 'This model cannot be shown images here. Read the code or the text that belongs to it, or describe what a person should check.';
  if (kind === 'a PDF document')
    return 'This model cannot be shown PDF documents here. Have its text taken out by a program (`pdftotext`), or read the source it was made from.';
  if (kind === 'text in UTF-16') return 'Have it converted to UTF-8 by a program of the project.';
  return 'Use a program of the project that understands it, or read the source it was made from.';
}

function findKind(bytes: Buffer): string | null {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'a WebP image';
  const found = SIGNATURES.find(([, signature]) => signature.every((byte, index) => bytes[index] === byte));
  if (found === undefined) return null;
  const [kind] = found;
  // Two letters are not enough to tell an image from a text that begins with them.
  return kind === 'a BMP image' && !isBinary(bytes) ? null : kind;
}

const MAX_CONTENT_BYTES = 10 * 1024 * 1024;

/** Why a content cannot be written as it is. */
export function findContentFault(content: string): Refusal | null {
  if (/\p{Surrogate}/u.test(content))
    return { reason: 'The content holds half of a character.', advice: 'Give it as whole Unicode characters.' };
  const bytes = Buffer.byteLength(content);
  if (bytes <= MAX_CONTENT_BYTES) return null;
  return {
    reason: `The content has ${bytes} bytes; ${MAX_CONTENT_BYTES} is the most.`,
    advice: 'Write it in several files, or have a program make it.',
  };
}
