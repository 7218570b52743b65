import { dirname } from 'node:path';
import { toShellWord } from '../core/index.ts';
import { toBytes } from './file-content.ts';
import type { EmitCall, EventLine, ScriptedTurn } from './scenario.ts';
import { speakPlainly, VOICES } from './speech.ts';

/** The files from which a turn is played: what it does as a script, and the bytes that the script copies. */
export type TurnParts = Readonly<Record<string, string | Buffer>>;

/**
 * Writes a turn as a piece of shell, which is sourced with `$turn` (the folder of its parts), `$record` (where its calls are kept) and
 * `$voice` set. The shell starts ten times faster than Node.js, and a scenario starts many agents.
 */
export function planTurn(turn: ScriptedTurn): TurnParts {
  const parts: Record<string, string | Buffer> = {};
  const lines = [...planFiles(turn, parts), ...(turn.run === undefined ? [] : [turn.run]), ...planEvents(turn, parts), ...planEmits(turn)];
  if (turn.stderr !== undefined) lines.push(copyOut(parts, 'stderr', endLine(turn.stderr), ' >&2'));
  lines.push(...planOutput(turn, parts), ': > "$record/reached"', ...planEnd(turn));
  return { ...parts, 'play.sh': `${lines.join('\n')}\n` };
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

/** Every voice is written beforehand; which one is spoken is known when the program is called. */
function planOutput(turn: ScriptedTurn, parts: Record<string, string | Buffer>): readonly string[] {
  if (turn.stdout !== undefined) return [copyOut(parts, 'stdout', turn.stdout, '')];
  parts['output.text'] = speakPlainly(turn);
  for (const [name, speak] of Object.entries(VOICES)) parts[`output.${name}`] = speak(turn);
  return ['cat "$turn/output.$voice"'];
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

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
