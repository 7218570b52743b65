import { stripVTControlCharacters } from 'node:util';

/** An output without secrets. Where there are none it stays as it is, with its colours. */
export function redactOutput({ redact }: { readonly redact?: (text: string) => string }, text: string): string {
  if (redact === undefined) return text;
  const plain = stripVTControlCharacters(text);
  const redacted = redact(plain);
  return redacted === plain ? text : redacted;
}
