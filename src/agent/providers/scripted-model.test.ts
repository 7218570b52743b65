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
});
