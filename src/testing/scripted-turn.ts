import { dirname } from 'node:path';
import { toShellWord } from '../core/text/shell-word.ts';
import type { EmitCall, EventLine, FileContent, ScriptedTurn } from './scenario.ts';

/** The files of a scripted turn: what it does as a shell script, and the bytes that the script copies. */
export type TurnParts = Readonly<Record<string, string | Buffer>>;

/**
 * Writes a turn as a piece of shell, which is sourced with `$turn` (the folder of its parts), `$record` (where its calls are kept) and
 * `$stream` set. The shell starts ten times faster than Node.js, and a scenario starts many agents.
 */
export function planTurn(turn: ScriptedTurn): TurnParts {
  const parts: Record<string, string | Buffer> = {};
  const lines = [...planFiles(turn, parts), ...(turn.run === undefined ? [] : [turn.run]), ...planEvents(turn, parts), ...planEmits(turn)];
  if (turn.stderr !== undefined) lines.push(copyOut(parts, 'stderr', endLine(turn.stderr), ' >&2'));
  lines.push(...planOutput(turn, parts), ': > "$record/reached"', ...planEnd(turn));
  return { ...parts, 'turn.sh': `${lines.join('\n')}\n` };
}

function planFiles({ files = {} }: ScriptedTurn, parts: Record<string, string | Buffer>): readonly string[] {
  return Object.entries(files).flatMap(([path, content], index) => {
    if (content === null) return [`rm -rf -- ${toShellWord(path)}`];
    parts[`file-${index}`] = toBytes(content);
    const folder = dirname(path) === '.' ? [] : [`mkdir -p -- ${toShellWord(dirname(path))}`];
    return [...folder, `cat "$turn/file-${index}" > ${toShellWord(path)}`];
  });
}

function planEvents({ events = [] }: ScriptedTurn, parts: Record<string, string | Buffer>): readonly string[] {
  if (events.length === 0) return [];
  parts['events'] = Buffer.concat(events.map(toLine));
  return ['cat "$turn/events" >> "$RALPH_EVENTS_FILE"'];
}

function toLine(event: EventLine): Buffer {
  if (typeof event === 'string') return Buffer.from(`${event}\n`);
  if ('raw' in event) return Buffer.from(event.raw);
  if ('base64' in event) return Buffer.from(event.base64, 'base64');
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

function planEmits({ emit = [] }: ScriptedTurn): readonly string[] {
  return emit.map((call, index) => {
    const words = toWords(typeof call === 'string' ? { topic: call } : call);
    return `"$RALPH_BIN" emit ${words.map(toShellWord).join(' ')} > "$record/emit-${index}.text" 2>&1; echo $? > "$record/emit-${index}.exit"`;
  });
}

function toWords({ topic, payload, json = false, target }: EmitCall): readonly string[] {
  return [
    topic,
    ...(payload === undefined ? [] : [payload]),
    ...(json ? ['--json'] : []),
    ...(target === undefined ? [] : ['--target', target]),
  ];
}

/** The output in every stream; the name that the program is called by says which one it prints. */
function planOutput(turn: ScriptedTurn, parts: Record<string, string | Buffer>): readonly string[] {
  if (turn.stdout !== undefined) return [copyOut(parts, 'stdout', turn.stdout, '')];
  parts['output.text'] = endLine(turn.output ?? '');
  for (const [name, toStream] of Object.entries(STREAMS)) parts[`output.${name}`] = toStream(turn);
  return ['cat "$turn/output.$stream"'];
}

function copyOut(parts: Record<string, string | Buffer>, name: string, text: string, redirection: string): string {
  parts[name] = text;
  return `cat "$turn/${name}"${redirection}`;
}

function planEnd({ delay_ms: delayMs = 0, hang = false, signal, exit = 0 }: ScriptedTurn): readonly string[] {
  const pause = delayMs > 0 ? [`sleep ${(delayMs / 1000).toFixed(3)}`] : [];
  const stay = hang ? ['while :; do sleep 60; done'] : [];
  return [...pause, ...stay, signal === undefined ? `exit ${exit}` : `kill -s ${signal} $$`];
}

/** Plain text with a line break at the end, where anything is said. */
function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** What the assistant of a turn says, in the stream of an agent CLI. Programs without a stream of their own print plain text. */
export const STREAMS: Readonly<Record<string, (turn: ScriptedTurn) => string>> = {
  claude: toClaudeStream,
  codex: toCodexStream,
  gemini: toGeminiStream,
};

const SESSION = '00000000-0000-4000-8000-000000000000';
const TOKENS = { input_tokens: 100, output_tokens: 20 };

function toClaudeStream(turn: ScriptedTurn): string {
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

function toCodexStream(turn: ScriptedTurn): string {
  const { output = '', stderr = '', exit = 0 } = turn;
  const said = output === '' ? [] : [{ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: output } }];
  const end =
    exit === 0
      ? { type: 'turn.completed', usage: { ...TOKENS, cached_input_tokens: 0 } }
      : { type: 'turn.failed', error: { message: stderr } };
  return toLines([{ type: 'thread.started', thread_id: SESSION }, { type: 'turn.started' }, ...said, ...unlessKilled(turn, end)]);
}

function toGeminiStream(turn: ScriptedTurn): string {
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

export function toBytes(content: Exclude<FileContent, null>): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.base64, 'base64');
}
