import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { ProgramQuestion } from '../ports/steering.ts';
import { openAskBox, toAskPlace } from './ask-file.ts';
import { askPeople } from './ask-people.ts';

const root = mkdtempSync(join(tmpdir(), 'ralph-ask-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, '.agent'));
mkdirSync(join(root, 'run'));
const eventsFile = join(root, '.agent/events.jsonl');
const contract = join(root, 'run/contract.json');
writeFileSync(contract, '{}');
const env = { RALPH_EVENTS_FILE: eventsFile, RALPH_CONTRACT: contract, RALPH_HAT: 'builder' };
const place = toAskPlace(eventsFile, join(root, 'run'), root);
const watch = (_folder: string, look: () => void): (() => void) => {
  const timer = setInterval(look, 10);
  return () => clearInterval(timer);
};

it('what a program asks reaches the run, and the answer the program that asked, and no other', async () => {
  const box = openAskBox(place, watch);
  const asked: ProgramQuestion[] = [];
  const unwatch = box.watch((question) => {
    asked.push(question);
    box.answer('somebody else', { choice: 'no', by: 'person' });
    box.answer(question.ask, { choice: 'yes', by: 'person' });
  });
  const answer = await askPeople({ text: 'Drop it?', choices: ['yes', 'no'], deadlineMs: 5000 }, env);
  unwatch();
  expect([answer, asked]).toMatchObject([
    { choice: 'yes', by: 'person' },
    [{ text: 'Drop it?', choices: ['yes', 'no'], default: 'no', deadlineMs: 5000 }],
  ]);
});

it('a turn sees only what is asked while it runs, and what is no question of anybody is passed over', async () => {
  const asked: string[] = [];
  appendFileSync(place.asksFile, `${JSON.stringify({ ask: 'old', text: 'x', choices: ['a', 'b'], default: 'a' })}\n`);
  const unwatch = openAskBox(place, watch).watch(({ ask }) => asked.push(ask));
  const lines = [
    'torn {',
    '[]',
    JSON.stringify({ ask: 1 }),
    ...['1e999', '-1', '86400001'].map((ms) => `{"ask":"long","text":"x","choices":["a","b"],"default":"a","deadlineMs":${ms}}`),
    JSON.stringify({ ask: 'cut', text: 'x'.repeat(4001), choices: ['a', 'b'], default: 'a' }),
    JSON.stringify({ ask: 'new', text: 'x', choices: ['a', 7, 'b'], default: 'b' }),
  ];
  appendFileSync(place.asksFile, lines.map((line) => `${line}\n`).join(''));
  await new Promise((resolve) => setTimeout(resolve, 60));
  unwatch();
  expect(asked).toEqual(['new']);
});

it('what cannot be asked is refused with the way to ask, and nothing is written', async () => {
  const before = readFileSync(place.asksFile, 'utf8');
  for (const words of [
    { text: 'x', choices: ['yes'] },
    { text: ' ', choices: ['yes', 'no'] },
    { text: 'x', choices: ['no', 'no'] },
    { text: 'x', choices: ['yes', 'no'], deadlineMs: 86_400_001 },
    { text: 'x', choices: ['yes', 'no'], default: 'perhaps' },
    { text: 'x', choices: Array.from({ length: 21 }, (_, index) => `${index}`) },
  ])
    await expect(askPeople(words, env)).rejects.toMatchObject({ code: 'ask-choices', exitCode: 2 });
  await expect(askPeople({ text: 'x', choices: ['a', 'b'] }, {})).rejects.toMatchObject({ code: 'ask-no-turn' });
  expect(readFileSync(place.asksFile, 'utf8')).toBe(before);
});
