import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import { makeSpec } from '../../core/spec-fixtures.ts';
import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import type { TurnContext } from './loop-ports.ts';
import { isSignalCall } from './signal-call.ts';
import { createTurnRecorder, openTurn, type RecordedText } from './turn.ts';

const TEXT = 'I begin.\nEVENT:build.done:{"n":1}\n\n<event topic="review.done">fine\nas it is</event>\r\nLOOP_COMPLETE\nIn the end: bye';

function record(pieces: readonly string[]): RecordedText {
  const recorder = createTurnRecorder('LOOP_COMPLETE');
  for (const text of pieces) recorder.take({ type: 'text', text });
  return recorder.finish();
}

it('hears the same however the words of an agent are cut into pieces', () => {
  const whole = record([TEXT]);
  expect(whole.signals).toHaveLength(3);
  expect(whole.finalText).toBe(TEXT);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: TEXT.length })), (cuts) => {
      const places = [0, ...cuts.sort((left, right) => left - right), TEXT.length];
      expect(record(places.map((place, index) => TEXT.slice(places[index - 1] ?? 0, place)))).toEqual(whole);
    }),
    { numRuns: propertyRuns(50) },
  );
});

it('counts every stopped use of a tool, and keeps the first twenty', () => {
  const recorder = createTurnRecorder('DONE');
  for (let use = 0; use < 31; use += 1)
    recorder.take({ type: 'tool-denied', denial: { tool: 'Bash', use: String(use), layer: 'flags', reason: 'no' } });
  const { denials, denied } = recorder.finish();
  expect([denials.length, denials.at(-1)?.use, denied]).toEqual([20, '19', 31]);
});

it('gathers what hooks did, and nothing where none was asked', () => {
  const recorder = createTurnRecorder('DONE');
  expect(recorder.finish().hooks).toBeNull();
  const hook = { name: 'h', event: 'PreToolUse', tool: 'bash', decision: 'deny', reason: 'no', error: null, ms: 1, preview: '' } as const;
  recorder.take({ type: 'hook-ran', hook });
  expect(recorder.finish().hooks).toEqual({ counts: [{ name: 'h', decision: 'deny', count: 1 }], runs: [hook] });
});

it('hears a long line that comes a few characters at a time', () => {
  const pieces = Array.from({ length: 200_000 }, () => 'abcd');
  const { signals, finalText } = record([...pieces, '\nEVENT:a.b\n']);
  expect(signals).toMatchObject([{ topic: 'a.b' }]);
  expect(finalText.length).toBeLessThan(20_000);
});

describe('a use of a tool only publishes or claims the end', () => {
  it.each([
    ['task_complete', 'all done'],
    ['emit_event', '{"topic":"build.done"}'],
    ['mcp__ralph__emit_event', '{}'],
    ['ralph-emit_event', '{}'],
    ['Bash', 'ralph emit task.complete'],
    ['shell', `bash -lc 'ralph emit build.done "tests: green; lint: green"'`],
    ['Bash', '/opt/bin/ralph emit LOOP_COMPLETE {"a":1}'],
    ['Bash', '"$RALPH_BIN" emit build.done'],
  ])('%s: %s', (name, summary) => {
    expect(isSignalCall({ name, summary })).toBe(true);
  });
});

describe('a use of a tool is work', () => {
  it.each([
    ['write_file', 'ralph emit task.complete'],
    ['read_emit_events', ''],
    ['Bash', 'npm test && ralph emit task.complete'],
    ['Bash', 'ralph emit build.done && npm test'],
    ['Bash', 'ralph emit build.done; rm x'],
    ['Bash', 'ralph emit build.done "$(npm test)"'],
    ['Bash', 'ralph emit build.done `npm test`'],
    ['Bash', 'ralph emit build.done > note'],
    ['Bash', 'ralph emit build.done\nnpm test'],
    ['Bash', 'ralph events'],
    ['Bash', 'echo ralph emit build.done'],
  ])('%s: %s', (name, summary) => {
    expect(isSignalCall({ name, summary })).toBe(false);
  });
});

it('a name or a command line that is made for it is judged in one pass', () => {
  // Searched anew from each place, these would take minutes.
  const name = `${'shell'.repeat(20_000)}!`;
  const spaces = ' '.repeat(3900);
  for (let time = 0; time < 200; time += 1) {
    expect(isSignalCall({ name, summary: '' })).toBe(false);
    expect(isSignalCall({ name: 'bash', summary: `${spaces}x` })).toBe(false);
    expect(isSignalCall({ name: 'bash', summary: `sh -c${spaces}x` })).toBe(false);
  }
});

it('tells of how many tokens the prompt is, in any script', async () => {
  const posted: Input[] = [];
  const prompts: string[] = [];
  const order: IterationStart = {
    ...{ type: 'iteration-start', iteration: 1, attempt: 1, hat: 'ralph', backend: 0, events: [], feedback: [], fallback: null },
    ...{ timeoutMs: 1000, idleTimeoutMs: 1000 },
  };
  const context = {
    ports: {
      clock: { now: () => 1 },
      turns: {
        open: (_turn: unknown, prompt: string) => {
          prompts.push(prompt);
          return { promptFile: '', stdoutPath: '', stderrPath: '', textPath: '', promptHash: 'hash' };
        },
      },
      workspace: { keepBefore: async () => null },
      agents: {
        surroundings: () => ({ cwd: '/', env: {}, marker: '' }),
        backendFor: () => ({
          label: 'claude',
          start: (_request: unknown, take: (event: unknown) => void) => {
            take({ type: 'started', pid: 1, processStart: null, argv: [] });
            return { result: new Promise(() => undefined) };
          },
        }),
      },
      observe: () => undefined,
    },
    settings: {
      prompt: { scratchpad: 'pad', eventsFile: 'events', specsDir: 'specs', promptFile: null, guardrails: null, workspaceDir: 'work' },
      turnLogCapBytes: 1,
    },
    loop: {
      post: (input: Input) => posted.push(input),
      topology: () => compileTopology(makeSpec({ objective: '物を作る。'.repeat(200) })),
      state: () => ({ limits: { maxIterations: 5 }, lastHat: 'ralph' }),
    },
  } as unknown as TurnContext;
  await openTurn(context, order, []);
  expect(posted).toMatchObject([{ type: 'iteration-spawned', promptTokens: estimateTokens(prompts[0] ?? '') }]);
});
