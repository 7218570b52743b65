import type { JsonObject } from '../core/index.ts';
import { listBackends } from './clis.ts';
import type { CliStream } from './description.ts';
import { createStreamOrText } from './stream-or-text.ts';
import { createTextTranslator } from './text-translator.ts';
import type { Translator } from './translator.ts';

/** The streams that are understood, by the CLI that speaks them. */
const STREAMS: ReadonlyMap<string, CliStream> = new Map(
  listBackends().flatMap(({ type, stream }) => (stream === undefined ? [] : [[type, stream] as const])),
);

/** What a custom agent's output can be: plain text, some stream (it is found out which), or the stream of a named CLI. */
export const OUTPUT_FORMATS: readonly string[] = ['text', 'stream', ...STREAMS.keys()];

/** The translator for an output format. A name that is not in {@link OUTPUT_FORMATS} is taken as `text`. */
export function createTranslator(format: string, prompt: string): Translator {
  const text = createTextTranslator(prompt);
  if (format === 'stream') return createStreamOrText((first) => recognise(first)?.create() ?? null, text, text);
  const stream = STREAMS.get(format)?.create();
  return stream === undefined ? text : createStreamOrText(() => stream, stream, text);
}

/** Whose stream begins like this. */
function recognise(first: JsonObject): CliStream | undefined {
  const all = [...STREAMS.values()];
  return all.find(({ begins }) => begins(first)) ?? all.find(({ continues }) => continues?.(first) === true);
}
