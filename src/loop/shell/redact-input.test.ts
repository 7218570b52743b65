import { expect, it } from 'vitest';
import type { EventsReceived } from '../../core/run/inputs.ts';
import type { Json } from '../../core/values/json.ts';
import type { Redaction } from '../../ports/redaction.ts';
import { redactInput } from './redact-input.ts';

const SECRET = 'hunter2hunter2';
const text = (given: string): string => given.replaceAll(SECRET, '[redacted: KEY]');
const redaction: Redaction = { text, stream: () => ({ push: text, end: () => '' }) };

function redactPayload(payload: Json): Json | undefined {
  const signals = [{ kind: 'event', channel: 'jsonl', topic: SECRET, payload }] as const;
  const input: EventsReceived = { type: 'events-received', at: 0, signals, problems: [], inboxOffset: 0 };
  const [signal] = (redactInput(input, redaction) as EventsReceived).signals;
  expect(signal).toMatchObject({ kind: 'event', topic: SECRET });
  return signal?.kind === 'event' ? signal.payload : undefined;
}

it('a payload has no secret, whatever its fields are called; a topic stays what it is', () => {
  const names = ['text', 'type', 'kind', 'status', 'topic', 'target', 'hat', 'commit', 'class'];
  const payload = Object.fromEntries(names.map((name) => [name, { [name]: `it is ${SECRET}` }]));
  expect(JSON.stringify(redactPayload(payload))).not.toContain(SECRET);
});

it('names of fields are texts as well, and no field is lost where two become alike', () => {
  const payload = { [SECRET]: 1, [`[redacted: KEY]`]: 2, deep: [{ [`a ${SECRET}`]: { [SECRET]: SECRET } }], kept: true };
  expect(redactPayload(payload)).toEqual({
    '[redacted: KEY]': 1,
    '[redacted: KEY] 2': 2,
    deep: [{ 'a [redacted: KEY]': { '[redacted: KEY]': '[redacted: KEY]' } }],
    kept: true,
  });
});
