import { isJsonObject, type Json } from '../core/index.ts';

const MAX_SUMMARY_LENGTH = 200;

/** A text as one line for people: white space runs become a space; cut to 200 characters (or `limit`) with an ellipsis. */
export function toOneLine(text: string, limit: number = MAX_SUMMARY_LENGTH): string {
  // Only the beginning can show: a huge text is not walked through to its end.
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Where tools keep what says most about a call, best first. */
const TELLING_KEYS = [
  'command',
  'cmd',
  'commands',
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'title',
];

/** A tool call's input as one line: its command, path or pattern where it has one, else its JSON. */
export function toInputSummary(input: Json | undefined): string {
  if (typeof input === 'string') return toOneLine(input);
  if (!isJsonObject(input)) return input === undefined || input === null ? '' : toOneLine(JSON.stringify(input));
  for (const key of TELLING_KEYS) {
    const value = input[key];
    if (typeof value === 'string' && value.trim() !== '') return toOneLine(value);
    if (Array.isArray(value) && value.every((part) => typeof part === 'string') && value.length > 0) return toOneLine(value.join(' && '));
  }
  return Object.keys(input).length === 0 ? '' : toOneLine(JSON.stringify(input));
}

/** A tool's result as one line: text, or the text parts of a content list, or JSON. */
export function toOutputSummary(output: Json | undefined): string {
  if (typeof output === 'string') return toOneLine(output);
  if (Array.isArray(output)) {
    const texts = output
      .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
      .filter((text) => text !== '');
    if (texts.length > 0) return toOneLine(texts.join(' '));
  }
  return output === undefined || output === null ? '' : toOneLine(JSON.stringify(output));
}
