/** Careful access to JSON that a client sent: nothing here throws on an unexpected shape. */

/** An object of unknown members. */
export type Members = Readonly<Record<string, unknown>>;

/** The value when it is an object, else an empty one. */
export function record(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** The objects of an array, else none. */
export function records(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** The text, or an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Joins what vendors call content: a string, or a list of blocks that may carry `text`. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .map((block) => text(block['text']))
    .filter((part) => part !== '')
    .join('\n');
}

/** Cuts a text into the deltas of a stream: several when it is long enough, so that clients show their delta handling. */
export function deltas(whole: string): string[] {
  const size = Math.max(8, Math.ceil(whole.length / 3));
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; at += size) pieces.push(whole.slice(at, at + size));
  return pieces;
}

/** One server-sent event, with a name where the vendor has names. */
export function sse(data: unknown, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** The arguments of a call as the text that goes over the wire. */
export function argsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}
