import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BackendEvent } from '../core/index.ts';
import { createTranslator } from './stream-formats.ts';
import type { TurnEnd } from './translator.ts';

const FOLDER = new URL('../../fixtures/transcripts/', import.meta.url);
const NOW = Date.UTC(2026, 10, 21);

interface Played extends TurnEnd {
  readonly all: readonly BackendEvent[];
  readonly messages: readonly string[];
  readonly tools: readonly string[];
}

/** What the recorded run of a real CLI becomes. */
function play(cli: string, scenario: string): Played {
  const read = (suffix: string): string => {
    const file = new URL(`${cli}/${scenario}${suffix}`, FOLDER);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const meta = JSON.parse(read('.meta.json')) as { exitCode: number | null; signal: string | null; prompt: string };
  const translator = createTranslator(cli, meta.prompt);
  const all = read('.stdout.jsonl')
    .split('\n')
    .flatMap((line) => [...translator.line(line)]);
  const end = translator.end({ exitCode: meta.exitCode, signal: meta.signal, stderrTail: read('.stderr.txt').slice(-8192), now: NOW });
  all.push(...end.events);
  const text = all.map((event) => (event.type === 'text' ? event.text : event.type === 'message-end' ? '\u0000' : '')).join('');
  const tools = all.flatMap((event) =>
    event.type === 'tool-start' ? [event.name] : event.type === 'tool-end' ? [`${event.name}:${event.ok}`] : [],
  );
  return { ...end, all, messages: text.split('\u0000').slice(0, -1), tools };
}

const tokens = (input: number, output: number, cacheRead: number, cacheWrite: number | null, costUsd: number | null) => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: cacheRead,
  cacheWriteTokens: cacheWrite,
  costUsd,
});
const UNKNOWN = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null };
const ID = '00000000-0000-4000-8000-000000000001';
const BOTH = ['I will append the event.', 'The event is in the file.\n\nLOOP_COMPLETE'];
for (const cli of ['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'qwen', 'cline', 'auggie'])
  for (const s of ['usage-limit', 'rate-limit', 'server-error', 'overloaded', 'cut-stream', 'malformed-stream', 'late-error', 'hang']) {
    if (!existsSync(new URL(`${cli}/${s}.meta.json`, FOLDER))) continue;
    const p = play(cli, s);
    console.log(
      cli,
      s,
      JSON.stringify({
        messages: p.messages,
        tools: p.tools,
        verdict: p.verdict,
        failure: p.failure,
        usage: p.usage,
        id: p.sessionId,
        n: p.toolCalls,
        warn: p.all.filter((e) => e.type === 'warning' || e.type === 'retry').map((e) => (e as any).message),
      }),
    );
  }
it('x', () => {
  void tokens;
  void UNKNOWN;
  void ID;
  void BOTH;
  void describe;
  void expect;
});
