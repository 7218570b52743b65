import { toBoundedPayload } from '../core/events/bounded-payload.ts';
import { isTopic, matchesTopic } from '../core/events/topics.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import { readNewLines } from '../journal/new-lines.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { type EventPlace, readContract } from './contract-file.ts';

/** Of a longer file only so much is looked at: its end. */
const MAX_READ_BYTES = 1_000_000;
const MAX_PAYLOAD = 500;
const MAX_TARGET = 100;

/** An event as it stands in the agents' file: nobody has checked who wrote it, or whether it counts. */
export interface NotedEvent {
  /** Epoch milliseconds, as the line says; `null` where it does not. */
  readonly at: number | null;
  readonly topic: string;
  readonly target?: string;
  /** As text, at most 500 characters of it. */
  readonly payload: string;
}

/**
 * The last events of the file in which agents publish, the newest last. What was refused is left out, and so is what is no event.
 *
 * @param topic a topic or a pattern; absent: all
 * @param last at least 1
 * @throws RalphError where a link stands on the way to the file; the system error
 */
export function readEvents({ eventsFile, contractFile, root }: EventPlace, topic: string | undefined, last: number): readonly NotedEvent[] {
  const contract = contractFile === null ? null : readContract(contractFile);
  const fs = createSharedFileSystem(root ?? contract?.workspace ?? null);
  const sizeBytes = fs.stat(eventsFile)?.sizeBytes ?? 0;
  const kept: NotedEvent[] = [];
  let offset = Math.max(0, sizeBytes - MAX_READ_BYTES);
  while (offset < sizeBytes) {
    const batch = readNewLines({ fs, path: eventsFile }, offset);
    for (const { text } of batch.lines) {
      const event = parseEvent(text);
      if (event === null || (topic !== undefined && !matchesTopic(topic, event.topic))) continue;
      kept.push(event);
      if (kept.length > last) kept.shift();
    }
    // The last line may have no end yet, and the file may have become shorter.
    if (batch.offset <= offset) break;
    offset = batch.offset;
  }
  return kept;
}

function parseEvent(line: string): NotedEvent | null {
  const value = parseJson(line.trim());
  if (!isJsonObject(value)) return null;
  const { topic, payload = '', target, ts } = value;
  if (typeof topic !== 'string' || !isTopic(topic)) return null;
  return {
    at: typeof ts === 'number' ? ts : null,
    topic,
    ...(typeof target === 'string' && target !== '' && { target: target.slice(0, MAX_TARGET) }),
    payload: cut(toText(toBoundedPayload(payload))),
  };
}

function toText(payload: Json): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}

function cut(text: string): string {
  return text.length <= MAX_PAYLOAD ? text : `${text.slice(0, MAX_PAYLOAD)} [cut: ${text.length - MAX_PAYLOAD} more characters]`;
}
