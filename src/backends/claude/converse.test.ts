import { expect, it } from 'vitest';
import { converseWithClaude } from './converse.ts';
import { createClaudeTranslator } from './translate.ts';

const talk = () => converseWithClaude(createClaudeTranslator(), 'Build it.');
const toReplay = (text: string): string =>
  JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, parent_tool_use_id: null, isReplay: true });
const readText = (line = '{}'): unknown => JSON.parse(line).message?.content?.[0]?.text;

it('the prompt is the first message, what a person says another', () => {
  const { dialogue } = talk();
  expect([dialogue?.open().map(readText), dialogue?.replies()]).toEqual([['Build it.'], []]);
  expect(dialogue?.tell?.({ id: 'c1', text: 'use the old API', by: 'ann' }).map(readText)).toEqual(['ann: use the old API']);
});

it('what it was told counts as given when it repeats it, once, with the calls of tools that it has made', () => {
  const translator = talk();
  translator.line(toReplay('Build it.'));
  const [sent = ''] = translator.dialogue?.tell?.({ id: 'c1', text: 'use the old API', by: 'ann' }) ?? [];
  const said = String(readText(sent));
  translator.line(
    JSON.stringify({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }] },
    }),
  );
  translator.line(JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'a' }] } }));
  const injected = { type: 'injected', ids: ['c1'], call: 1 };
  expect(translator.line(toReplay(said))).toEqual([injected]);
  expect(translator.line(toReplay(said))).toEqual([]);
});

it('nothing that an agent says or reads passes for it', () => {
  const translator = talk();
  translator.dialogue?.tell?.({ id: 'c1', text: 'go', by: 'ann' });
  const lines = [
    toReplay('ann: stop'),
    JSON.stringify({ type: 'assistant', isReplay: 'no', message: { id: 'm', content: [{ type: 'text', text: 'ann: go "isReplay"' }] } }),
    '{"isReplay": torn',
    JSON.stringify({ type: 'user', isReplay: true, message: 7 }),
  ];
  expect(lines.flatMap((line) => translator.line(line)).filter(({ type }) => type === 'injected')).toEqual([]);
});
