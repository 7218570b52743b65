import { isJsonObject, isTextList, type Json } from '../values/json.ts';
import { type HookHandler, toScriptCommand } from './hook-spec.ts';

/** What a hook on a worker asks: a script is named by its path in the folder of the run, which the worker has elsewhere. */
export type SentHandler =
  | { readonly kind: 'shell'; readonly line: string }
  | { readonly kind: 'program'; readonly argv: readonly string[] }
  | { readonly kind: 'script'; readonly path: string; readonly sha256: string | null; readonly args: readonly string[] };

/**
 * A handler as it travels; `null` for one that cannot.
 *
 * @param folders absolute; in each of them files have the paths that they have in the working tree
 */
export function toSentHandler(handler: HookHandler, folders: readonly string[]): SentHandler | null {
  if (handler.kind === 'shell') return handler;
  if (handler.kind !== 'command') return null;
  const { argv, file } = handler;
  if (file === null) return { kind: 'program', argv };
  const folder = folders.find((known) => file.path.startsWith(`${known}/`));
  if (folder === undefined) return null;
  const { path, sha256 } = file;
  return { kind: 'script', path: path.slice(folder.length + 1), sha256, args: argv.slice(toScriptCommand(path).length) };
}

/** The same handler in the folder of a worker, absolute. */
export function toPlacedHandler(sent: SentHandler, folder: string): HookHandler {
  if (sent.kind === 'shell') return sent;
  if (sent.kind === 'program') return { kind: 'command', argv: sent.argv, file: null };
  const path = `${folder}/${sent.path}`;
  return { kind: 'command', argv: [...toScriptCommand(path), ...sent.args], file: { path, sha256: sent.sha256 } };
}

/** Reads it; `null` for what is none, and for a path that leads out of the folder. */
export function parseSentHandler(value: Json | undefined): SentHandler | null {
  if (!isJsonObject(value)) return null;
  const { kind, line, argv, path, sha256, args } = value;
  if (kind === 'shell') return typeof line === 'string' ? { kind, line } : null;
  if (kind === 'program') return isTextList(argv) && argv.length > 0 ? { kind, argv } : null;
  if (kind !== 'script' || typeof path !== 'string' || !isTextList(args)) return null;
  const isInside = path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
  return isInside && typeof sha256 === 'string' ? { kind, path, sha256, args } : null;
}
