import type { Usage } from '../../core/backends/usage.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts';

/** The object under a key; an empty one where there is none. Foreign JSON is read with these alone, so that no shape can surprise. */
export function objectAt(value: Json | undefined, key: string): JsonObject {
  const child = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(child) ? child : {};
}

/** The list under a key; an empty one where there is none. */
export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const child = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(child) ? child : [];
}

/** The text under a key; empty where there is none. */
export function textAt(value: Json | undefined, key: string): string {
  const child = isJsonObject(value) ? value[key] : undefined;
  return typeof child === 'string' ? child : '';
}

/** The finite number under a key, or `null`. */
export function numberAt(value: Json | undefined, key: string): number | null {
  const child = isJsonObject(value) ? value[key] : undefined;
  return typeof child === 'number' && Number.isFinite(child) ? child : null;
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

/** Figures as a CLI reports them; absent or `null` where it does not. */
export interface UsageFigures {
  /** Tokens sent that were not read from a cache. */
  readonly input?: number | null;
  readonly output?: number | null;
  readonly cacheRead?: number | null;
  readonly cacheWrite?: number | null;
  readonly costUsd?: number | null;
}

/**
 * A usage from reported figures. A cost of exactly 0 for tokens that were used means that the CLI knows no price: it becomes
 * unknown, so that a price table can still be applied.
 */
export function toUsage(figures: UsageFigures): Usage {
  const inputTokens = toCount(figures.input);
  const outputTokens = toCount(figures.output);
  const cacheReadTokens = toCount(figures.cacheRead);
  const cacheWriteTokens = toCount(figures.cacheWrite);
  const costUsd = figures.costUsd ?? null;
  const hasTokens = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].some((count) => (count ?? 0) > 0);
  const isKnownCost = costUsd !== null && costUsd >= 0 && !(costUsd === 0 && hasTokens);
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd: isKnownCost ? costUsd : null };
}

/** What is left of all input tokens without those that came from a cache, for CLIs that count them together. */
export function withoutCached(inputTokens: number | null, cachedTokens: number | null): number | null {
  return inputTokens === null ? null : Math.max(0, inputTokens - (cachedTokens ?? 0));
}

function toCount(value: number | null | undefined): number | null {
  return value === null || value === undefined || value < 0 ? null : Math.round(value);
}
