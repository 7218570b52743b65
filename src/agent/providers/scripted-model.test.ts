import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/values/json.ts';
import { refuse } from '../../core/values/result.ts';
import type { ModelMessage, ModelRequest } from '../../ports/model.ts';
import { createScriptedModel, type ModelScript, parseScript } from './scripted-model.ts';

const REQUEST: ModelRequest = {
  system: '',
  messages: [{ role: 'user', text: 'Build the tower' }],
  tools: [{ name: 'look', description: '', parameters: {} }],
  maxOutputTokens: null,
  cache: { system: false, tools: false, messages: [] },
};

function parse(value: Json): ModelScript {
  const script = parseScript(value);
  if (!script.ok) throw new Error(script.refused);
  return script.value;
}

function createModelOf(value: Json, place: { hat?: string; turnsBefore?: number; stepsBefore?: number } = {}) {
  const model = createScriptedModel(parse(value), { hat: 'a', turnsBefore: 0, stepsBefore: 0, env: {}, ...place });
  return (request: Partial<ModelRequest> = {}) => model.step({ ...REQUEST, ...request }, () => undefined, new AbortController().signal);
}

describe('a script', () => {
  it.each([
    [{}, 'neither'],
    [{ turns: [{ steps: [{ txt: 'x' }] }] }, 'turns.0.steps.0'],
    [{ hats: { a: [{ steps: [{ calls: [{ tool: 1 }] }] }] } }, 'hats.a.0.steps.0.calls.0.tool'],
    ['x', 'expected object'],
    [{ turns: [{ steps: [{ take: { who: '(' } }] }] }, 'turns.0.steps.0.take.who: it is no regular expression'],
    [{ turns: [{ steps: [{ take: { who: 'agent' } }] }] }, 'take.who: it needs one group, and has 0'],
    [{ turns: [{ steps: [{ take: { who: '(a)(b)' } }] }] }, 'it needs one group, and has 2'],
    [{ turns: [{ steps: [{ take: { who: `(${'a'.repeat(300)})` } }] }] }, 'it is longer than 300 characters'],
    [{ turns: [{ steps: [{ take: { 'a b': '(a)' } }] }] }, 'a name has letters, digits and _ only'],
  ])('%j says what is wrong with it', (value, problem) => {
    expect(parseScript(value as Json)).toEqual(refuse(expect.stringContaining(problem)));
  });

  it('is followed by hat and turn, step by step', async () => {
    const value = {
      hats: { a: [{ steps: [{ text: 'one' }, { text: 'two' }] }, { steps: [{ text: 'three' }] }] },
      turns: [{ steps: [{ text: 'other' }] }],
    };
    const next = createModelOf(value);
    expect(await next()).toMatchObject({ ok: true, message: { parts: [{ text: 'one' }] } });
    expect(await next()).toMatchObject({ ok: true, message: { parts: [{ text: 'two' }] } });
    expect(await createModelOf(value, { turnsBefore: 1 })()).toMatchObject({ message: { parts: [{ text: 'three' }] } });
    expect(await createModelOf(value, { hat: 'b' })()).toMatchObject({ message: { parts: [{ text: 'other' }] } });
  });

  it('goes on at the step at which it was interrupted', async () => {
    const value = { turns: [{ steps: [{ text: 'one' }, { text: 'two' }] }] };
    expect(await createModelOf(value, { stepsBefore: 1 })()).toMatchObject({ message: { parts: [{ text: 'two' }] } });
  });

  it('fails a turn that nobody wrote, or uses the last one once more', async () => {
    const turns = [{ steps: [{ text: 'one' }] }];
    expect(await createModelOf({ turns }, { turnsBefore: 3 })()).toMatchObject({
      ok: false,
      failure: { message: 'script: the script has no turn 4 of a' },
    });
    expect(await createModelOf({ turns, after_last: 'repeat' }, { turnsBefore: 3 })()).toMatchObject({ ok: true });
  });

  it('finds a turn by the prompt where one says `when`, however many were taken before; the prompt stays that of the turn', async () => {
    const value = {
      hats: {
        a: [
          { steps: [{ text: 'one' }] },
          { when: ['Build', 'bridge'], steps: [{ text: 'bridge' }] },
          { when: 'tower', steps: [{ text: 'tower' }, { text: 'higher' }] },
        ],
        b: [{ when: 'bridge', steps: [{ text: 'x' }] }],
      },
    };
    const next = createModelOf(value, { turnsBefore: 7 });
    expect(await next()).toMatchObject({ message: { parts: [{ text: 'tower' }] } });
    expect(await next({ messages: [{ role: 'user', text: 'Build a bridge' }] })).toMatchObject({
      message: { parts: [{ text: 'higher' }] },
    });
    const prompt = (text: string) => createModelOf(value, { turnsBefore: 1 })({ messages: [{ role: 'user', text }] });
    expect(await prompt('Build a bridge')).toMatchObject({ message: { parts: [{ text: 'bridge' }] } });
    expect(await prompt('Cross the bridge')).toMatchObject({ message: { parts: [{ text: 'one' }] } });
    expect(await createModelOf(value, { hat: 'b' })()).toMatchObject({
      failure: { message: 'script: the script has no turn of b for this prompt' },
    });
  });

  it('calls tools, and fails as it is told to', async () => {
    const next = createModelOf({
      turns: [{ steps: [{ calls: [{ tool: 'look', args: { path: 'x' } }] }, { fail: { retry_after_ms: 5 } }] }],
    });
    expect(await next()).toMatchObject({
      finish: 'tool-calls',
      message: { parts: [{ type: 'tool-call', name: 'look', args: { path: 'x' } }] },
    });
    expect(await next()).toMatchObject({ ok: false, failure: { class: 'transient', retryAfterMs: 5 } });
  });

  const results: ModelMessage = { role: 'tool', results: [{ id: '1', name: 'look', text: 'two words', isError: false }] };
  it.each([
    [{ tools: ['look'] }, null],
    [{ tools: ['write'] }, 'write should be offered'],
    [{ no_tools: ['look'] }, 'look is offered'],
    [{ results: 'two' }, null],
    [{ results: ['words', 'three'] }, 'no result holds "three"'],
    [{ prompt: 'tower' }, null],
    [{ prompt: 'bridge' }, 'does not hold "bridge"'],
  ])('expects %j', async (expected, problem) => {
    const step = await createModelOf({ turns: [{ steps: [{ expect: expected, text: 'x' }] }] })({
      messages: [...REQUEST.messages, results],
    });
    expect(step.ok ? null : step.failure.message).toEqual(problem === null ? null : expect.stringContaining(problem));
  });

  const asked: readonly ModelMessage[] = [
    { role: 'user', text: 'agent1 is old, in `/old`' },
    { role: 'assistant', parts: [{ type: 'text', text: 'agent9 is mine' }] },
    { role: 'user', text: 'agent2 is $& new' },
    { role: 'tool', results: [{ id: '1', name: 'look', text: 'agent3 is a result', isError: false }] },
  ];
  it.each([
    ['(agent\\d) is', 'agent3'],
    ['(agent\\d) is (?:\\$& )?new', 'agent2'],
    ['is (\\$& new)', '$& new'],
    ['agent1 is (?<age>\\w+)', 'old'],
    ['(\\w+) of the system', 'words'],
    ['(agent9)', null],
    ['(xx)?agent2', null],
  ])('takes %j out of what it was given, the newest first', async (pattern, taken) => {
    const call = { tool: 'look', args: { who: 'it is {{who}}', all: [{ deep: '{{who}}, {{other}}', n: 1 }] } };
    const step = await createModelOf({ turns: [{ steps: [{ take: { who: pattern }, text: 'I mean {{who}}.', calls: [call] }] }] })({
      system: 'words of the system',
      messages: asked,
    });
    const message = `script: step 1 of turn 1 of a: nothing that it was given matches "${pattern}", for {{who}}`;
    if (taken === null) expect(step).toEqual({ ok: false, failure: { class: 'other', message } });
    else {
      const args = { who: `it is ${taken}`, all: [{ deep: `${taken}, {{other}}`, n: 1 }] };
      expect(step).toMatchObject({ ok: true, message: { parts: [{ text: `I mean ${taken}.` }, { name: 'look', args }] } });
    }
  });

  it('reads the end of a long text only', async () => {
    const next = createModelOf({ turns: [{ steps: [{ take: { who: '(agent\\d)' } }] }], after_last: 'repeat' });
    const prompt = (text: string) => next({ messages: [{ role: 'user', text }] });
    expect(await prompt(`agent1${'x'.repeat(20_000)}`)).toMatchObject({ ok: false });
    expect(await prompt(`${'x'.repeat(50_000)}agent1`)).toMatchObject({ ok: true });
  });
});
