/** Door to `core/signals`: signals in what an agent says: event tags, `EVENT:` lines, the promise, and what was almost one. */
export { isPromiseLine } from './signal-lines.ts';
export { createTextSignalScanner } from './text-signals.ts';
