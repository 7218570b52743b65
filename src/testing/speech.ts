import type { ScriptedTurn } from './scenario.ts';

/** What the assistant of a turn says, in the stream of an agent CLI. Programs without a voice of their own print plain text. */
export const VOICES: Readonly<Record<string, (turn: ScriptedTurn) => string>> = {
  claude: speakClaude,
  codex: speakCodex,
  gemini: speakGemini,
};

/** Plain text: a line break at the end, where anything is said. */
export function speakPlainly({ output = '' }: ScriptedTurn): string {
  return output === '' || output.endsWith('\n') ? output : `${output}\n`;
}

const SESSION = '00000000-0000-4000-8000-000000000000';
const TOKENS = { input_tokens: 100, output_tokens: 20 };

function speakClaude(turn: ScriptedTurn): string {
  const { output = '', cost_usd: cost, exit = 0 } = turn;
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [{ type: 'text', text: output }],
    usage: TOKENS,
  };
  const said = output === '' ? [] : [{ type: 'assistant', message, parent_tool_use_id: null, session_id: SESSION }];
  const end =
    exit === 0
      ? { subtype: 'success', is_error: false, result: output }
      : { subtype: 'error_during_execution', is_error: true, result: turn.stderr ?? '' };
  const result = { type: 'result', ...end, session_id: SESSION, usage: TOKENS, ...(cost === undefined ? {} : { total_cost_usd: cost }) };
  return toLines([
    { type: 'system', subtype: 'init', session_id: SESSION, model: 'scripted', tools: [] },
    ...said,
    ...unlessKilled(turn, result),
  ]);
}

function speakCodex(turn: ScriptedTurn): string {
  const { output = '', stderr = '', exit = 0 } = turn;
  const said = output === '' ? [] : [{ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: output } }];
  const end =
    exit === 0
      ? { type: 'turn.completed', usage: { ...TOKENS, cached_input_tokens: 0 } }
      : { type: 'turn.failed', error: { message: stderr } };
  return toLines([{ type: 'thread.started', thread_id: SESSION }, { type: 'turn.started' }, ...said, ...unlessKilled(turn, end)]);
}

function speakGemini(turn: ScriptedTurn): string {
  const { output = '', stderr = '', exit = 0 } = turn;
  const said = output === '' ? [] : [{ type: 'message', role: 'assistant', content: output, delta: true }];
  const stats = { total_tokens: 120, ...TOKENS };
  const end =
    exit === 0
      ? { type: 'result', status: 'success', stats }
      : { type: 'result', status: 'error', error: { type: 'Error', message: stderr }, stats };
  return toLines([{ type: 'init', session_id: SESSION, model: 'scripted' }, ...said, ...unlessKilled(turn, end)]);
}

/** Who is killed says no last word. */
function unlessKilled(turn: ScriptedTurn, end: object): readonly object[] {
  return turn.signal === undefined ? [end] : [];
}

function toLines(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
