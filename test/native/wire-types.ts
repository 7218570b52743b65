/** The wire formats of the four kinds of providers. */
export type Dialect = 'anthropic' | 'responses' | 'chat' | 'gemini';

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at freely by tests
export type Body = any;

/** What the model says next, or how the request fails. */
export interface WireReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  /** All input tokens, and those of them that came from the cache. */
  readonly usage?: { readonly input: number; readonly cached?: number; readonly written?: number; readonly output: number };
  readonly finish?: 'length' | 'refusal';
  /** An HTTP error instead. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The connection breaks after so many frames. */
  readonly cutAfter?: number;
  readonly delayMs?: number;
}

/** One event of a stream. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in a few pieces, as it would come. */
export function inPieces(text: string): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
}

/** Names of calls: the number of the request, and of the call in it. */
export function toCallId(number: number, index: number): string {
  return `call_${number}_${index + 1}`;
}

export const USAGE = { input: 1000, cached: 200, written: 0, output: 50 } as const;
