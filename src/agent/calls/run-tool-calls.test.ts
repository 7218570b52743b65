import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../../ports/model.ts';
import type { CallOutcome } from '../tool/tool.ts';
import { makeTurn } from '../turn/turn-fixtures.ts';
import { runToolCalls } from './run-tool-calls.ts';

const CALL: ToolCallPart = { type: 'tool-call', id: 'c1', name: 'change', args: { path: 'a.ts' } };

/** Runs one call whose outcome is given. */
async function run(outcome: CallOutcome) {
  const { parts, state, events, lines } = makeTurn([]);
  const answers = await runToolCalls({ ...parts, tools: { ...parts.tools, call: async () => outcome } }, state, [CALL]);
  return { answers, state, lines, events, denied: events.flatMap((event) => (event.type === 'tool-denied' ? [event.denial] : [])) };
}

describe('what a call did beside its text', () => {
  it('is nothing for most', async () => {
    const { answers, state, denied, lines } = await run({ kind: 'ran', text: 'ok', isError: false, facts: { lines: 3 } });
    expect(answers).toEqual([{ id: 'c1', name: 'change', text: 'ok', isError: false }]);
    expect([state.published.size, denied]).toEqual([0, []]);
    expect(lines.at(-1)).toEqual({ type: 'tool-result', result: answers[0], durationMs: 0, facts: { lines: 3 } });
  });

  it('is an event that was published, unless the call failed', async () => {
    const report = { kind: 'published', topic: 'done' } as const;
    const { state, lines } = await run({ kind: 'ran', text: 'ok', isError: false, report });
    expect([...state.published]).toEqual(['done']);
    expect(lines.at(-1)).toMatchObject({ type: 'tool-result', report });
    expect((await run({ kind: 'ran', text: 'no', isError: true, report })).state.published.size).toBe(0);
  });

  it('is logged of hooks, also of one that failed: in the transcript, as an event, and as a warning that names it', async () => {
    const hook = {
      name: 'audit',
      event: 'PreToolUse',
      decision: 'allow',
      reason: '',
      error: 'it threw Error: oops',
      ms: 1,
      preview: '',
    } as const;
    const { answers, lines, events } = await run({ kind: 'ran', text: 'ok', isError: false, hooks: [hook] });
    expect(answers).toEqual([{ id: 'c1', name: 'change', text: 'ok', isError: false }]);
    expect(lines.at(-1)).toMatchObject({ type: 'tool-result', hooks: [hook] });
    expect(events.filter(({ type }) => type === 'hook-ran' || type === 'warning')).toEqual([
      { type: 'hook-ran', hook: { ...hook, tool: 'change' } },
      { type: 'warning', message: 'the hook audit failed: it threw Error: oops' },
    ]);
  });

  it('is told as denied where the profile keeps the tool out, and where the system stopped a write', async () => {
    const used = { tool: 'change', use: 'a.ts' };
    const outside = await run({ kind: 'not-offered', text: 'not yours', isError: true });
    expect(outside.denied).toEqual([{ ...used, layer: 'profile', reason: 'not yours' }]);
    const stopped = await run({ kind: 'ran', text: 'failed', isError: true, report: { kind: 'write-stopped', line: 'EROFS: x' } });
    expect(stopped.denied).toEqual([{ ...used, layer: 'os', reason: 'EROFS: x' }]);
  });
});
