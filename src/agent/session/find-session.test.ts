import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { SessionEnd, SessionHeader, TranscriptLine } from './agent-turn.ts';
import { findSession, findSpent } from './find-session.ts';

let turnsDir: string;
beforeEach(() => {
  turnsDir = mkdtempSync(join(tmpdir(), 'ralph-sessions-'));
});
afterEach(() => rmSync(turnsDir, { recursive: true, force: true }));

const DONE: SessionEnd = { type: 'end', status: 'succeeded', failure: null, usage: UNKNOWN_USAGE };
const STOPPED: SessionEnd = { ...DONE, status: 'stopped' };
const failed = (kind: 'transient' | 'agent'): SessionEnd => ({ ...DONE, status: 'failed', failure: { class: kind, message: 'x' } });

function write(turn: string, end: SessionEnd | null, header: Partial<SessionHeader> = {}, lines: readonly TranscriptLine[] = []): void {
  mkdirSync(join(turnsDir, turn));
  const first: SessionHeader = {
    type: 'session',
    v: 1,
    at: 0,
    turn,
    hat: 'a',
    key: 'k',
    context: 'fresh',
    follows: null,
    isTakenUp: false,
    stepsBefore: 0,
    tools: [],
    ...header,
  };
  const said: readonly TranscriptLine[] = [
    { type: 'message', message: { role: 'user', text: `asked ${turn}` } },
    { type: 'message', message: { role: 'assistant', parts: [{ type: 'text', text: `said ${turn}` }] } },
  ];
  const all = [first, ...said, ...lines, ...(end === null ? [] : [end])];
  writeFileSync(join(turnsDir, turn, 'session.jsonl'), all.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const find = (turn: string, parts: Partial<Parameters<typeof findSession>[0]> = {}) =>
  findSession({ turnsDir, turn, hat: 'a', key: 'k', context: 'fresh', ...parts });

describe('a fresh context', () => {
  it('begins with nothing, whatever was before', () => {
    write('1.1', DONE);
    write('2.1', DONE, { hat: 'b' });
    expect(find('3.1')).toMatchObject({ follows: null, isContinuation: false, messages: [], stepsBefore: 0, turnsBefore: 1 });
  });

  it('begins with nothing where there is no run yet', () => {
    expect(findSession({ turnsDir: join(turnsDir, 'nowhere'), turn: '1.1', hat: 'a', key: 'k', context: 'carry' }).messages).toEqual([]);
  });
});

describe('a turn that a limit ended', () => {
  const limited: SessionEnd = { ...failed('agent'), isLimited: true };

  it('is told to the next turn of its hat, also after turns of others, but not taken up', () => {
    write('1.1', limited);
    write('2.1', DONE, { hat: 'b' });
    const found = find('3.1');
    expect(found).toMatchObject({ isContinuation: false, messages: [] });
    expect(found.handOver).toMatch(/^# What was done before[\s\S]*Your last turn \(1\.1\) was ended by a limit[\s\S]*said 1\.1/);
    expect(found.handOver).not.toContain('asked 1.1');
  });

  it('is told to Ralph, who comes right after it, and to no other hat', () => {
    write('1.1', limited);
    expect(find('2.1', { hat: 'ralph', key: 'another' }).handOver).toContain('The turn of a (1.1)');
    expect(find('2.1', { hat: 'b' }).handOver).toBeNull();
  });

  it('is told once: what a later turn of the hat did is newer', () => {
    write('1.1', limited);
    write('2.1', DONE);
    expect(find('3.1').handOver).toBeNull();
  });
});

describe('the word of a conversation', () => {
  it('stays where the conversation goes on, and only there', () => {
    write('1.1', DONE, { nonce: 'a1b2', context: 'carry' });
    expect(find('2.1').nonce).toBeUndefined();
    expect(find('2.1', { context: 'carry' }).nonce).toBe('a1b2');
    write('2.1', STOPPED, { nonce: 'c3d4' });
    expect(find('3.1').nonce).toBe('c3d4');
  });
});

describe('a turn that was interrupted', () => {
  it.each([
    ['killed', null],
    ['stopped', STOPPED],
  ] as const)('because it was %s is taken up by the next one of the same hat', (_, end) => {
    write('1.1', end);
    const found = find('2.1');
    expect(found).toMatchObject({ follows: '1.1', isContinuation: true, stepsBefore: 1, turnsBefore: 0 });
    expect(found.messages).toHaveLength(2);
  });

  it('twice is taken up as a whole, and counts as one turn', () => {
    write('1.1', DONE);
    write('2.1', null);
    write('3.1', null, { follows: '2.1', isTakenUp: true, stepsBefore: 1 });
    const found = find('4.1');
    expect(found).toMatchObject({ follows: '3.1', stepsBefore: 2, turnsBefore: 1 });
    expect(JSON.stringify(found.messages)).toMatch(/asked 2\.1.*said 2\.1.*asked 3\.1.*said 3\.1/);
  });

  it('keeps what people and hooks had said to it before it was killed, and asks its own prompt anew', () => {
    const asked: TranscriptLine = { type: 'message', message: { role: 'user', text: 'an open prompt' } };
    write('1.1', null, {}, [{ type: 'message', message: { role: 'user', text: 'a person' }, told: ['t1'], call: 1 }]);
    const known = [{ text: 'asked 1.1' }, { role: 'assistant' }, { text: 'a person' }];
    expect(find('2.1').messages).toMatchObject(known);
    write('2.1', null, { follows: '1.1', isTakenUp: true }, [
      {
        type: 'message',
        message: { role: 'assistant', parts: [{ type: 'tool-call', id: 'c1', name: 'look', args: {} }] },
      },
      { type: 'tool-result', result: { id: 'c1', name: 'look', text: 'x', isError: false }, durationMs: 1, messages: ['a hook'] },
      asked,
    ]);
    const found = find('3.1').messages;
    expect(found.slice(0, 3)).toMatchObject(known);
    expect(found.at(-1)).toMatchObject({ text: 'a hook' });
  });

  it('keeps the summary that stands for all that was before', () => {
    write('1.1', null, {}, [{ type: 'compaction', messages: [{ role: 'user', text: 'a summary' }] }]);
    expect(find('2.1').messages).toMatchObject([{ text: 'a summary' }]);
  });

  it.each([
    ['another hat', { hat: 'b' }],
    ['another model', { key: 'other' }],
  ])('is not taken up by %s', (_, parts) => {
    write('1.1', null);
    expect(find('2.1', parts)).toMatchObject({ follows: null, messages: [] });
  });

  it('is not taken up where another turn came between', () => {
    write('1.1', null);
    write('2.1', DONE, { hat: 'b' });
    expect(find('3.1').follows).toBeNull();
    mkdirSync(join(turnsDir, '3.1'));
    write('4.1', null);
    mkdirSync(join(turnsDir, '5.1'));
    writeFileSync(join(turnsDir, '5.1', 'stdout.log'), '');
    expect(find('6.1').follows).toBeNull();
  });

  it('is taken up where the one between was killed before it had done anything', () => {
    write('1.1', null);
    mkdirSync(join(turnsDir, '2.1'));
    mkdirSync(join(turnsDir, '3.1'));
    writeFileSync(join(turnsDir, '3.1', 'session.jsonl'), '{"type":"session","v"');
    expect(find('4.1')).toMatchObject({ follows: '1.1', isContinuation: true });
  });

  it('is one whose own end the loop never heard of, and none that the loop knows', () => {
    write('1.1', DONE);
    expect(find('2.1')).toMatchObject({ follows: null });
    expect(find('2.1', { interruptions: 1 })).toMatchObject({ follows: '1.1', isContinuation: true });
    mkdirSync(join(turnsDir, '2.1'));
    expect(find('3.1', { interruptions: 1 })).toMatchObject({ follows: null });
    expect(find('3.1', { interruptions: 2 })).toMatchObject({ follows: '1.1', isContinuation: true });
  });

  it('is one that failed in passing, for the next attempt; any other failure is an end', () => {
    write('1.1', failed('transient'));
    expect(find('1.2')).toMatchObject({ follows: '1.1', isContinuation: true });
    expect(find('2.1').follows).toBeNull();
    write('10.1', failed('agent'));
    expect(find('10.2').follows).toBeNull();
  });

  it('before the model said a word is begun anew', () => {
    mkdirSync(join(turnsDir, '1.1'));
    writeFileSync(
      join(turnsDir, '1.1', 'session.jsonl'),
      '{"type":"session","v":1,"turn":"1.1","hat":"a","key":"k","context":"fresh","follows":null,"isTakenUp":false,"stepsBefore":0,"tools":[]}\n{"type":"message","message":{"role":"user","text":"asked"}}\n{"type":"mess',
    );
    expect(find('2.1')).toMatchObject({ isContinuation: true, messages: [], stepsBefore: 0 });
  });
});

describe('a carried context', () => {
  it('goes on with the newest conversation of the same model, whichever hat had it', () => {
    write('2.1', DONE, { context: 'carry' });
    write('10.1', DONE, { context: 'carry', hat: 'b', follows: '2.1' });
    write('11.1', DONE, { context: 'carry', hat: 'b', key: 'other' });
    const found = find('12.1', { context: 'carry' });
    expect(found).toMatchObject({ follows: '10.1', isContinuation: false, stepsBefore: 0, turnsBefore: 1 });
    expect(found.messages.map((message) => JSON.stringify(message))).toEqual([
      expect.stringContaining('asked 2.1'),
      expect.stringContaining('said 2.1'),
      expect.stringContaining('asked 10.1'),
      expect.stringContaining('said 10.1'),
    ]);
  });

  it('begins at the newest summary', () => {
    write('1.1', DONE, { context: 'carry' });
    write('2.1', DONE, { context: 'carry', follows: '1.1' }, [
      { type: 'compaction', messages: [{ role: 'user', text: 'summary' }] },
      { type: 'message', message: { role: 'assistant', parts: [{ type: 'text', text: 'then' }] } },
    ]);
    expect(JSON.stringify(find('3.1', { context: 'carry' }).messages)).not.toContain('1.1');
  });

  it('is not led in a circle by damaged files', () => {
    write('1.1', DONE, { context: 'carry', follows: '2.1' });
    write('2.1', DONE, { context: 'carry', follows: '1.1' });
    expect(find('3.1', { context: 'carry' }).messages).toHaveLength(4);
  });
});

describe('what a turn consumed', () => {
  const writeText = (turn: string, text: string): void => {
    mkdirSync(join(turnsDir, turn));
    writeFileSync(join(turnsDir, turn, 'session.jsonl'), text);
  };

  it('adds up what the calls of a killed turn consumed, torn and odd lines passed over', () => {
    const call = (costUsd: number): string =>
      `${JSON.stringify({ type: 'usage', usage: { ...UNKNOWN_USAGE, inputTokens: 10, costUsd }, finish: 'stop' })}\n`;
    writeText(
      '1.1',
      `{"type":"session","v":1}\n${call(0.25)}{"type":"message"}\n${call(0.5)}{"type":"usage","usage":{"costUsd":"9"}}\n${call(1).slice(0, 30)}`,
    );
    expect(findSpent(turnsDir, '1.1')).toEqual({ ...UNKNOWN_USAGE, inputTokens: 20, costUsd: 0.75 });
  });

  it('knows nothing of a turn without a session', () => {
    expect(findSpent(turnsDir, '2.1')).toEqual(UNKNOWN_USAGE);
  });
});
