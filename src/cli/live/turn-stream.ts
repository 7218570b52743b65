import { type BackendEvent, type Handlers, handle, ignore, toDurationText } from '../../core/index.ts';
import { createTextCleaner, toPlainLine } from '../../views/index.ts';
import type { LineWriter } from './line-writer.ts';
import { type Look, MAX_WIDTH } from './look.ts';

/** Shows what the agent of one turn says and does. */
export interface TurnStream {
  readonly show: (event: BackendEvent) => void;
}

/** More tools than this at the same time are shown without their names at the end. */
const MAX_OPEN_TOOLS = 256;

/** So many different warnings of a run are known again. */
const MAX_KNOWN_WARNINGS = 100;

/**
 * A stream for one turn. What agents say is cleaned before it gets to the terminal.
 *
 * @param warned the warnings that the run has shown: agents repeat some in every turn
 */
export function createTurnStream(writer: LineWriter, look: Look, warned: Set<string>): TurnStream {
  const cleaner = createTextCleaner();
  const tools = new Map<string, string>();
  const note = (text: string): void => writer.line(look.style('faint', `  ${text}`));

  const warn = (text: string): void => {
    if (warned.has(text)) return;
    if (warned.size < MAX_KNOWN_WARNINGS) warned.add(text);
    writer.line(look.style('warning', `  ! ${text}`));
  };
  const startTool = (id: string, name: string, summary: string): void => {
    const width = Math.min(look.columns(), MAX_WIDTH) - 12;
    const text = `  ⚙ ${look.style('name', toPlainLine(name, 40))} ${toPlainLine(summary, Math.max(20, width - name.length))}`.trimEnd();
    if (tools.size < MAX_OPEN_TOOLS) tools.set(id, text);
    writer.openLine(`tool ${id}`, `${text} …`);
  };
  const endTool = (id: string, name: string, ok: boolean | null, summary: string): void => {
    const text = tools.get(id) ?? `  ⚙ ${look.style('name', toPlainLine(name, 40))}`;
    tools.delete(id);
    const said = toPlainLine(summary, 80);
    const verdict =
      ok === null ? 'ended' : ok ? look.style('good', 'ok') : `${look.style('bad', 'failed')}${said === '' ? '' : `: ${said}`}`;
    if (!writer.closeLine(`tool ${id}`, ` ${verdict}`)) writer.line(`${text} … ${verdict}`);
  };

  const handlers: Handlers<BackendEvent, []> = {
    started: ignore,
    session: ({ sessionId, model }) => {
      if (look.verbose) note(`session ${toPlainLine(sessionId, 80)}${model === null ? '' : `, model ${toPlainLine(model, 60)}`}`);
    },
    text: ({ text }) => writer.text(cleaner.take(text)),
    'message-end': () => {
      // A message ends before its tools do: their line stays open for the verdict.
      if (tools.size === 0) writer.finish();
    },
    thinking: ignore,
    alive: ignore,
    'tool-start': ({ id, name, summary }) => startTool(id, name, summary),
    'tool-end': ({ id, name, ok, summary }) => endTool(id, name, ok, summary),
    'tool-denied': ignore,
    usage: ignore,
    retry: ({ message, delayMs }) => {
      note(`the agent tries again${delayMs === null ? '' : ` in ${toDurationText(delayMs)}`}: ${toPlainLine(message, 200)}`);
    },
    warning: ({ message }) => warn(toPlainLine(message, 300)),
  };

  return { show: (event) => handle(handlers, event) };
}
