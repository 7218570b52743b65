import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../ports/model.ts';
import { runSteps } from '../turn/step-loop.ts';
import { callAll, makeTurn, numbered, say } from '../turn/turn-fixtures.ts';
import type { TranscriptLine } from './agent-turn.ts';
import { foldTranscript, NO_MEMORY } from './transcript.ts';

const toText = (lines: readonly TranscriptLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function record(replies: Parameters<typeof makeTurn>[0], given: Parameters<typeof makeTurn>[1] = {}) {
  const turn = makeTurn(replies, given);
  turn.lines.push({ type: 'message', message: { role: 'user', text: 'Do it' } });
  await runSteps(turn.parts, turn.state);
  return turn;
}

/** What every provider insists on: each call is answered right behind it, in order. */
function expectAnswered(messages: readonly ModelMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const calls = message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call').map(({ id }) => id) : [];
    if (calls.length === 0) continue;
    const next = messages[index + 1];
    expect(next?.role === 'tool' ? next.results.map(({ id }) => id) : null).toEqual(calls);
  }
}

describe('a transcript that is read again', () => {
  it('gives the conversation as it was', async () => {
    const turn = await record([callAll('look', 'change'), callAll('look'), say('Done.')]);
    const folded = foldTranscript(toText(turn.lines), NO_MEMORY);
    expect(folded.messages).toEqual(turn.state.messages);
    expect(folded.steps).toBe(3);
  });

  it('gives the conversation with what was moved out of it, and with its summary', async () => {
    const turn = await record(
      Array.from({ length: 9 }, () => callAll('look')),
      { run: numbered('x'.repeat(9000)), limits: { ...makeTurn([]).parts.limits, contextTokens: 12_000 } },
    );
    expect(turn.lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['evicted', 'compaction']));
    expect(foldTranscript(toText(turn.lines), NO_MEMORY).messages).toEqual(turn.state.messages);
  });

  it('mends calls that a crash cut off: not begun, and begun with an end that nobody knows', async () => {
    const turn = await record([callAll('change', 'change', 'change'), say('Done.')]);
    const cut = turn.lines.findIndex((line) => line.type === 'tool-start' && line.id === 'change-2');
    const { messages } = foldTranscript(toText(turn.lines.slice(0, cut + 1)), NO_MEMORY);
    const last = messages.at(-1);
    expect(last?.role === 'tool' ? last.results.map(({ text, isError }) => [text.slice(0, 30), isError]) : null).toEqual([
      ['change ran', false],
      ['Interrupted while this call ra', true],
      ['Interrupted before this call w', true],
    ]);
  });

  it('gives what hooks said once each, behind all results, wherever the machine died', async () => {
    let asked = 0;
    const run = async () => {
      asked += 1;
      return { text: 'fine', isError: false, messages: [`told ${asked}`] };
    };
    const turn = await record([callAll('change', 'change', 'change'), callAll('change'), say('Done.')], { run });
    expect(foldTranscript(toText(turn.lines), NO_MEMORY).messages).toEqual(turn.state.messages);
    for (let end = 0; end <= turn.lines.length; end += 1) {
      const lines = turn.lines.slice(0, end);
      const { messages, open } = foldTranscript(toText(lines), NO_MEMORY);
      expectAnswered(messages);
      const heard = messages
        .flatMap((message) => (message.role === 'user' ? message.text.split('\n\n') : []))
        .filter((text) => text !== 'Do it');
      const written = lines.flatMap((line) => (line.type === 'tool-result' ? (line.messages ?? []) : []));
      expect([...heard, ...(open?.told ?? [])]).toEqual(written);
    }
  });

  it('is sound wherever the machine died, in the midst of a line, too', async () => {
    const turn = await record([callAll('look', 'look'), callAll('change', 'look'), say('So.'), say('Done.')]);
    const text = toText(turn.lines);
    fc.assert(
      fc.property(fc.nat(text.length), (length) => {
        const { messages } = foldTranscript(text.slice(0, length), NO_MEMORY);
        expectAnswered(messages);
        for (const message of messages) expect(['user', 'assistant', 'tool']).toContain(message.role);
      }),
    );
  });

  it.each([
    ['of this version', { report: { kind: 'published', topic: 'done' } }, ['done']],
    ['of an earlier version', { facts: { topic: 'done' } }, ['done']],
    ['of a tool that has a fact of that name', { facts: { topic: 'done' }, report: { kind: 'write-stopped', line: 'x' } }, []],
    ['that is damaged', { report: null, facts: { topic: 7 } }, []],
    ['of a call that failed', { isError: true, report: { kind: 'published', topic: 'done' } }, []],
  ])('tells what was published by a line %s', (_, { isError = false, ...told }: Record<string, unknown>, topics) => {
    const call = { type: 'tool-call', id: 'c', name: 'emit_event', args: {} };
    const text = [
      { type: 'message', message: { role: 'assistant', parts: [call] } },
      { type: 'tool-result', result: { id: 'c', name: 'emit_event', text: 'Published.', isError }, durationMs: 1, ...told },
    ];
    const { published } = foldTranscript(text.map((line) => JSON.stringify(line)).join('\n'), NO_MEMORY);
    expect(published.map(({ topic }) => topic)).toEqual(topics);
  });

  it('passes over lines that are none', () => {
    const text =
      'null\n7\n{}\n{"type":"message"}\n{"type":"message","message":{"role":"user"}}\n{"type":"tool-result"}\n{"type":"compaction","messages":3}\nx\n';
    expect(foldTranscript(text, NO_MEMORY).messages).toEqual([]);
    fc.assert(fc.property(fc.array(fc.json()), (lines) => void foldTranscript(lines.join('\n'), NO_MEMORY)));
  });
});
