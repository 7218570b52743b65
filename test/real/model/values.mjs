/** Careful access to JSON that a client sent: nothing here throws on an unexpected shape. */

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>} the value when it is an object, else an empty one
 */
export function record(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? /** @type {Record<string, unknown>} */ (value) : {};
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>[]} the objects of an array, else none
 */
export function records(value) {
  return Array.isArray(value) ? value.map(record) : [];
}

/**
 * @param {unknown} value
 * @returns {string} the text, or an empty one
 */
export function text(value) {
  return typeof value === 'string' ? value : '';
}

/**
 * Joins what vendors call content: a string, or a list of blocks that may carry `text`.
 *
 * @param {unknown} content
 * @returns {string}
 */
export function contentText(content) {
  if (typeof content === 'string') return content;
  return records(content)
    .map((block) => text(block['text']))
    .filter((part) => part !== '')
    .join('\n');
}

/**
 * Cuts a text into the deltas of a stream: several when it is long enough, so that clients show their delta handling.
 *
 * @param {string} whole
 * @returns {string[]} pieces that join to the text; none for an empty text
 */
export function deltas(whole) {
  const size = Math.max(8, Math.ceil(whole.length / 3));
  const pieces = [];
  for (let at = 0; at < whole.length; at += size) pieces.push(whole.slice(at, at + size));
  return pieces;
}

/**
 * @param {unknown} data
 * @param {string} [event] SSE event name
 * @returns {string} one server-sent event
 */
export function sse(data, event) {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
