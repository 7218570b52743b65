import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { type HookFile, type HookHandler, toScriptCommand } from '../../core/hooks/hook-spec.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Place,
  toDiagnostic,
  toShownPlace,
} from '../findings/located.ts';
import { isFile } from '../layers/read-text-file.ts';
import { findPackageModule } from './find-package-module.ts';

/** Where what is wrong with hooks is noted. */
export interface HookNotes {
  readonly diagnostics: Diagnostic[];
  readonly report: (place: Place, message: string, fix: string) => void;
}

const TYPES = ['command', 'module', 'python'];
const SCRIPTS = ['.sh', '.py', '.js', '.mjs', '.cjs', '.ts'];

/**
 * Reads what a hook asks. Files are looked for now, from the folder of the configuration file, and known by what they hold.
 *
 * @param scalar the value of a key of the hook that is one text, number or flag; `null` for none
 * @returns `null` where nothing can be asked, which is noted
 */
export function readHookHandler(hook: LocatedMap, scalar: (name: string) => LocatedScalar | null, notes: HookNotes): HookHandler | null {
  const type = scalar('type');
  if (type !== null && !TYPES.includes(type.written)) {
    const meant = endWithMeant(findNearMiss(type.written, TYPES));
    notes.report(type.place, `${quote(type.written)} is no kind of hook${meant}`, `Write one of: ${TYPES.join(', ')}.`);
    return null;
  }
  const handler = scalar('handler') ?? scalar('command');
  if (handler === null || handler.written.trim() === '') {
    notes.report(
      hook.place,
      'This hook has no handler.',
      'Write what is to be asked: handler: ./check.sh, ./hooks.mjs#check, or package.module.function',
    );
    return null;
  }
  const text = handler.written.trim();
  const args = listTexts(hook.entries.get('args')?.value);
  const kind = type?.written ?? null;
  const [, file, exported] = /^([^\s#]+)#([\w$]+)$/.exec(text) ?? [];
  if (file !== undefined && exported !== undefined && kind !== 'command') return readModule(handler, file, exported, notes);
  if (kind === 'python' || (kind === null && isPythonPath(handler, text)))
    return { kind: 'python', path: text, folders: [handler.place.file.folder] };
  if (kind === 'module') return readModule(handler, text, 'default', notes);
  if (/\s/.test(text) && args.length === 0) return { kind: 'shell', line: handler.written };
  return readProgram(handler, text, args, notes);
}

/** A file beside the configuration, else what a package of that name gives to those who import it. */
function readModule(handler: LocatedScalar, name: string, exported: string, notes: HookNotes): HookHandler | null {
  const { folder } = handler.place.file;
  const path = isFile(resolve(folder, name)) ? null : findPackageModule(name, folder);
  const file = path === null ? findFile(handler, name, notes) : toHookFile(path);
  return file === null ? null : { kind: 'module', file, exported };
}

function isPythonPath({ place }: LocatedScalar, text: string): boolean {
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(text) || SCRIPTS.includes(extname(text))) return false;
  return !isFile(resolve(place.file.folder, text));
}

function readProgram(handler: LocatedScalar, text: string, args: readonly string[], notes: HookNotes): HookHandler | null {
  const path = resolve(handler.place.file.folder, text);
  const isProgram = !text.includes('/') && !SCRIPTS.includes(extname(text)) && !isFile(path);
  if (isProgram) return { kind: 'command', argv: [text, ...args], file: null };
  const file = findFile(handler, text, notes);
  return file === null ? null : { kind: 'command', argv: [...toScriptCommand(file.path), ...args], file };
}

function findFile(handler: LocatedScalar, name: string, { diagnostics }: HookNotes): HookFile | null {
  const path = resolve(handler.place.file.folder, name);
  if (isFile(path)) return toHookFile(path);
  diagnostics.push(
    toDiagnostic(toShownPlace({ key: handler.place, value: handler }), {
      code: 'hook-file-missing',
      severity: 'error',
      message: `The hook ${quote(handler.written)} has no file: ${quote(name)} is not there.`,
      why: 'A hook that cannot be started refuses every call that it is about.',
      fix: 'Correct the path; it counts from the folder of this configuration file, as do packages in `node_modules`. Or remove the hook.',
    }),
  );
  return null;
}

function toHookFile(path: string): HookFile {
  return { path, sha256: hashFile(path) };
}

/** What a hook without a name is called: its file, its function, its command line. */
export function toHandlerName(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return (/\s/.test(line) ? line : basename(line)).slice(0, 80);
}

function listTexts(value: LocatedValue | undefined): readonly string[] {
  if (value?.kind !== 'list') return [];
  return value.items.flatMap((item) => (item.kind === 'scalar' ? [item.written] : []));
}

function hashFile(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}
