/** A message of more than 8 MB, from an agent to the end of its turn: what stands behind it counts, and so does what stands in it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createBackend } from '../../src/backends/index.ts';
import type { BackendType } from '../../src/core/backends/backend-spec.ts';
import { createTurnBench, type TurnBench } from './turn-bench.ts';

let bench: TurnBench;
beforeEach(() => {
  bench = createTurnBench();
});
afterEach(() => bench.remove());

async function play(type: BackendType, lines: readonly string[]) {
  const script = `const big = 'x'.repeat(9 * 1024 * 1024);\n${lines.map((line) => `console.log(JSON.stringify(${line}));`).join('\n')}\n`;
  const command = bench.install(type, `#!/usr/bin/env node\n${script}`);
  const turn = bench.start(createBackend({ type, command, args: [], env: {}, permissions: 'bypass' }));
  return { result: await turn.result, text: turn.text() };
}

it("claude's final event counts behind a huge message, and in one", async () => {
  const said = (text: string): string => `{type:'assistant',message:{id:'m',content:[{type:'text',text:${text}}]}}`;
  const result = (text: string): string =>
    `{type:'result',subtype:'success',is_error:false,result:${text},session_id:'s',total_cost_usd:0.5}`;
  for (const lines of [
    [said("big + '\\nLOOP_COMPLETE'"), result("'ok'")],
    [said("'LOOP_COMPLETE'"), result('big')],
  ]) {
    const { result: ended, text } = await play('claude', lines);
    expect(ended).toMatchObject({ status: 'succeeded', usage: { costUsd: 0.5 } });
    expect(text.slice(-13)).toBe('LOOP_COMPLETE');
  }
});

it("codex's promise counts at the end of a huge message, and so does its final event behind it", async () => {
  const { result, text } = await play('codex', [
    "{type:'thread.started',thread_id:'t'}",
    "{type:'item.completed',item:{id:'i',type:'agent_message',text:big + '\\nLOOP_COMPLETE'}}",
    "{type:'turn.completed',usage:{input_tokens:10,cached_input_tokens:0,output_tokens:2}}",
  ]);
  expect(result).toMatchObject({ status: 'succeeded', usage: { inputTokens: 10 } });
  expect(text.slice(-13)).toBe('LOOP_COMPLETE');
});

it('a key that claude names as refused in its retries ends the turn, whatever it would try', async () => {
  const retry = (attempt: number): string =>
    `{type:'system',subtype:'api_retry',attempt:${attempt},max_retries:10,retry_delay_ms:500,error_status:401,error:'authentication_failed'}`;
  const { result } = await play('claude', [retry(1), retry(2), "(setTimeout(() => {}, 30_000), {type:'system'})"]);
  expect(result).toMatchObject({ status: 'failed', failure: { class: 'auth' } });
});
