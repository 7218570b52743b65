import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../values/json.ts';
import { MAX_PAYLOAD_LENGTH, toBoundedPayload } from './bounded-payload.ts';
import { parseInboxLine } from './inbox-line.ts';

function nest(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

describe('a line of the events file', () => {
  it('is an event with topic and payload', () => {
    expect(parseInboxLine('{"topic":"build.done","payload":"ok","ts":"2026-01-01T00:00:00Z"}')).toEqual({
      kind: 'signal',
      signal: { kind: 'event', channel: 'jsonl', topic: 'build.done', payload: 'ok' },
      cut: 0,
    });
  });

  it.each([
    ['{"topic":"a","payload":{"b":[1,null]}}', { b: [1, null] }],
    ['{"topic":"a","payload":7}', 7],
    ['{"topic":"a","payload":false}', false],
    ['{"topic":"a","payload":null}', null],
    ['{"topic":"a","payload":""}', ''],
    ['{"topic":"a"}', ''],
  ])('takes any JSON value as payload: %s', (line, payload) => {
    expect(parseInboxLine(line)).toMatchObject({ kind: 'signal', signal: { topic: 'a', payload } });
  });

  it('takes a target, and none where it is empty or null', () => {
    const targets = ['{"topic":"a","target":"b"}', '{"topic":"a","target":""}', '{"topic":"a","target":null}'].map((line) => {
      const read = parseInboxLine(line);
      return read.kind === 'signal' ? read.signal.target : read.kind;
    });
    expect(targets).toEqual(['b', undefined, undefined]);
  });

  it('believes no source: that is the active hat, whatever the line says', () => {
    expect(parseInboxLine('{"topic":"a","source":"somebody","id":"e9","ts":1,"timestamp":"now","more":true}')).toEqual({
      kind: 'signal',
      signal: { kind: 'event', channel: 'jsonl', topic: 'a', payload: '' },
      cut: 0,
    });
  });

  it.each(['', '   ', '\r', '\t', '\uFEFF', '{"topic":"a","payload":"","by":"ralph"}'])('is skipped: %j', (line) => {
    expect(parseInboxLine(line)).toEqual({ kind: 'skip' });
  });

  it.each(['\uFEFF{"topic":"a"}', '{"topic":"a"}\r', '  {"topic":"a"}  '])(
    'is read in spite of a byte order mark, a carriage return or spaces: %j',
    (line) => {
      expect(parseInboxLine(line)).toMatchObject({ kind: 'signal' });
    },
  );

  it.each([
    ['{"topic":"a"', 'not valid JSON'],
    ['topic: a', 'not valid JSON'],
    ['{"topic":"a"}{"topic":"b"}', 'not valid JSON'],
    ['["a"]', 'not a JSON object'],
    ['"a"', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{}', 'has no "topic" text'],
    ['{"topic":7}', 'has no "topic" text'],
    ['{"topic":""}', '"" is not a topic'],
    ['{"topic":"a b"}', '"a b" is not a topic'],
    ['{"topic":"a.*"}', '"a.*" is not a topic'],
    ['{"topic":"a","target":7}', '"target" is not a text'],
  ])('is reported: %s', (line, message) => {
    expect(parseInboxLine(line)).toEqual({ kind: 'problem', message });
  });

  it('cuts a payload of more than a million characters and says so', () => {
    expect(parseInboxLine(`{"topic":"a","payload":"${'x'.repeat(MAX_PAYLOAD_LENGTH + 3)}"}`)).toMatchObject({
      signal: { payload: expect.stringMatching(/x\n\[cut: 3 more characters\]$/) },
    });
  });

  it('turns a payload that is nested too deeply into text, so that everybody can write it again', () => {
    expect(parseInboxLine(`{"topic":"a","payload":${nest(100)}}`)).toMatchObject({ signal: { payload: JSON.parse(nest(100)) } });
    expect(parseInboxLine(`{"topic":"a","payload":${nest(101)}}`)).toMatchObject({ signal: { payload: nest(101) } });
    expect(parseInboxLine(`{"topic":"a","payload":${nest(200_000)}}`)).toMatchObject({ signal: { payload: expect.any(String) } });
  });

  it('never throws, and what it takes survives being written', () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"topic":"a","payload":${json}}`),
      fc.json().map((json) => `{"topic":${json},"target":${json}}`),
    );
    fc.assert(
      fc.property(line, (text) => {
        const read = parseInboxLine(text);
        expect(JSON.stringify(JSON.parse(JSON.stringify(read)))).toBe(JSON.stringify(read));
      }),
    );
  });
});

describe('bounding a payload', () => {
  it.each<[Json]>([['words'], [{ a: 1 }], [null], [0], [[]]])('leaves a small one as it is: %j', (payload) => {
    expect(toBoundedPayload(payload)).toBe(payload);
  });

  it('makes a text of a large object', () => {
    const bounded = toBoundedPayload({ a: 'x'.repeat(MAX_PAYLOAD_LENGTH) });
    expect(bounded).toMatch(/^\{"a":"x+\n\[cut: 8 more characters\]$/);
  });
});

describe('a note of the command about what it refused', () => {
  const read = (value: unknown): unknown => parseInboxLine(JSON.stringify(value));

  it('is a try of its author and nothing else, whatever stands beside it', () => {
    const forged = {
      topic: 'deploy.go',
      target: 'deployer',
      sender: { pid: 1, user: 'root', how: 'token' },
      refused: { topic: 'a.b', why: 'x', detail: 'y'.repeat(900) },
    };
    expect(read(forged)).toEqual({
      kind: 'signal',
      cut: 0,
      signal: { kind: 'event', channel: 'jsonl', topic: 'a.b', payload: '', refused: { why: 'scope', detail: 'y'.repeat(300) } },
    });
  });

  it('without a topic is a problem', () => {
    expect(read({ refused: { topic: 'no topic!' } })).toMatchObject({ kind: 'problem' });
  });
});

describe('a sender', () => {
  const line = JSON.stringify({ topic: 'a', sender: { pid: 7, user: 'Zoe', how: 'terminal' } });

  it('is believed only where no agent writes', () => {
    expect(parseInboxLine(line, true)).toMatchObject({ signal: { sender: { pid: 7, user: 'Zoe', how: 'terminal' } } });
    expect(JSON.stringify(parseInboxLine(line))).not.toContain('Zoe');
  });
});

it('a payload that is too long is cut, and it is said by how much', () => {
  expect(parseInboxLine(JSON.stringify({ topic: 'a', payload: 'x'.repeat(1_000_007) }))).toMatchObject({ kind: 'signal', cut: 7 });
});
