import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HAND_LIMITS } from '../core/panel/hand-limits.ts';
import { HAND_VARIABLE, readHandRound } from '../emit/hand-file.ts';
import { handIn, requireHandRound } from '../emit/hand-in.ts';
import type { PanelHand } from '../ports/backend.ts';
import { findHandWay } from './hat-facts.ts';
import { openHand } from './open-hand.ts';

let top = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'ralph-hand-'));
  for (const name of ['work', 'round']) mkdirSync(join(top, name));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** A round, and what reached the panel in it. */
function open(accepts = true) {
  const taken: string[] = [];
  const hand: PanelHand = {
    task: 'answer',
    candidates: ['agent2'],
    topics: [],
    answer: async (content, topic) => {
      taken.push(`answer ${content.slice(0, 20)} ${topic ?? '-'}`);
      return { isAccepted: accepts, text: accepts ? 'Your answer is in.' : 'It is no good.' };
    },
    vote: async (target, reason) => {
      taken.push(`vote ${target} ${reason}`);
      return { isAccepted: true, text: 'Your vote is in.' };
    },
  };
  const opened = openHand({ cwd: join(top, 'work'), promptFile: join(top, 'round', 'prompt.md'), hand });
  const round = requireHandRound({ [HAND_VARIABLE]: opened.file });
  return { ...opened, round, taken };
}

test('what a program hands in reaches the panel, and the program is told the verdict', async () => {
  const { round, taken, close } = open();
  expect(await handIn({ kind: 'answer', content: 'mine', topic: 'plan.ready' }, round)).toEqual({
    isAccepted: true,
    text: 'Your answer is in. End your turn now.',
  });
  expect(await handIn({ kind: 'vote', target: 'agent2', reason: 'short' }, round)).toMatchObject({ isAccepted: true });
  await close();
  expect(taken).toEqual(['answer mine plan.ready', 'vote agent2 short']);
});

test('a refusal says why, and nothing of ending the turn', async () => {
  const { round, close } = open(false);
  expect(await handIn({ kind: 'answer', content: 'mine' }, round)).toEqual({ isAccepted: false, text: 'It is no good.' });
  await close();
});

test('an answer of the longest length arrives whole, whatever its characters, and one character more is refused before it is written', async () => {
  const { round, taken, close } = open();
  expect((await handIn({ kind: 'answer', content: '\u0001'.repeat(HAND_LIMITS.answer) }, round)).isAccepted).toBe(true);
  expect(await handIn({ kind: 'answer', content: 'x'.repeat(HAND_LIMITS.answer + 1) }, round)).toMatchObject({
    isAccepted: false,
    text: expect.stringContaining('100001 characters'),
  });
  await close();
  expect(taken).toHaveLength(1);
});

test('what was written before the programs ended is taken, and the same line twice is taken once', async () => {
  const { round, taken, close } = open();
  const line = `${JSON.stringify({ hand: 'h1', kind: 'answer', content: 'late' })}\n`;
  appendFileSync(round.handInsFile, line + line);
  writeFileSync(round.handInsFile, readFileSync(round.handInsFile));
  await close();
  expect(taken).toEqual(['answer late -']);
  expect(readFileSync(round.verdictsFile, 'utf8').trim().split('\n')).toHaveLength(1);
});

test('lines that are nothing, of wrong types, or endless, are passed over', async () => {
  const { round, taken, close } = open();
  const odd = [
    '',
    'null',
    '{}',
    '[]',
    '{"hand":1,"kind":"answer","content":"x"}',
    '{"hand":"a","kind":"answer"}',
    '{"hand":"a","kind":"vote"}',
  ];
  appendFileSync(round.handInsFile, `${odd.join('\n')}\n{"hand":"long","kind":"answer","content":"${'x'.repeat(2_000_000)}"}\n`);
  appendFileSync(round.handInsFile, `${JSON.stringify({ hand: 'h', kind: 'vote', target: 'agent2' })}\n`);
  await close();
  expect(taken).toEqual(['vote agent2 ']);
});

test('a link in the place of the file is not followed', async () => {
  const { round, taken, close } = open();
  const secret = join(top, 'elsewhere.jsonl');
  writeFileSync(secret, `${JSON.stringify({ hand: 'h', kind: 'vote', target: 'agent2' })}\n`);
  rmSync(dirname(round.handInsFile), { recursive: true });
  mkdirSync(dirname(round.handInsFile));
  symlinkSync(secret, round.handInsFile);
  await expect(handIn({ kind: 'vote', target: 'agent2', reason: '' }, round)).rejects.toThrow();
  await close();
  expect(taken).toEqual([]);
  expect(readFileSync(secret, 'utf8').split('\n')).toHaveLength(2);
});

test('a round that nobody wrote down is none', () => {
  expect(readHandRound(undefined)).toBeNull();
  writeFileSync(join(top, 'round.json'), '{"task":"rule"}');
  expect(readHandRound(join(top, 'round.json'))).toBeNull();
  expect(() => requireHandRound({})).toThrow('this is no round of a panel');
});

test('an agent is told of the way that it has: tools where they can be attached, else a command, and of a program that nobody knows its words', () => {
  const way = (type: 'native' | 'claude' | 'acp' | 'cline' | 'custom', emitTool: 'auto' | 'off' = 'auto') =>
    findHandWay({ policies: {}, profiles: {}, emitTool }, 'builder', { type }).kind;
  expect([way('native'), way('claude'), way('acp'), way('cline'), way('custom')]).toEqual(['tools', 'tools', 'tools', 'command', 'words']);
  expect([way('native', 'off'), way('claude', 'off'), way('acp', 'off')]).toEqual(['tools', 'command', 'words']);
});
