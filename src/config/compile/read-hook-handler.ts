import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { type HookFile, type HookHandler, toScriptCommand } from '../../core/hooks/hook-spec.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { tryOr } from '../../core/values/result.ts';
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
import { findPythonModule } from './find-python-module.ts';

/** What a timer can hold is not much more. */
export const MAX_TIMEOUT_MS = 86_400_000;

/** What counts for a hook that does not say it. */
export interface HookDefaults {
  readonly timeoutMs: number;
  readonly isFailClosed: boolean;
}

export interface HookNotes {
  /** Absolute. */
  readonly workspace: string;
  readonly diagnostics: Diagnostic[];
  readonly report: (place: Place, message: string, fix: string) => void;
}

const TYPES = ['command', 'module', 'python'];
const SCRIPTS = ['.sh', '.py', '.js', '.mjs', '.cjs', '.ts'];

/**
 * Reads what a hook asks. Files are looked for now, from the folder of the configuration file, and known by what they hold. Nothing is run or loaded.
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
  if (kind === 'python' || (kind === null && isPythonPath(handler, text))) return readPython(handler, text, notes);
  if (kind === 'module') return readModule(handler, text, 'default', notes);
  if (/\s/.test(text) && args.length === 0) return { kind: 'shell', line: handler.written };
  return readProgram(handler, text, args, notes);
}

/** A file beside the configuration, else what a package of that name gives to those who import it. */
function readModule(handler: LocatedScalar, name: string, exported: string, notes: HookNotes): HookHandler | null {
  const { folder } = handler.place.file;
  const path = isFile(resolve(folder, name)) ? null : findPackageModule(name, folder);
  const file = path === null ? findFile(handler, name, notes) : openFile(handler, name, path, notes);
  return file === null ? null : { kind: 'module', file, exported };
}

const PYTHON_PATH = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+$/u;

function isPythonPath({ place }: LocatedScalar, text: string): boolean {
  if (!PYTHON_PATH.test(text) || SCRIPTS.includes(extname(text))) return false;
  return !isFile(resolve(place.file.folder, text));
}

function readPython(handler: LocatedScalar, path: string, notes: HookNotes): HookHandler | null {
  if (!PYTHON_PATH.test(path)) {
    const fix = 'Write package.module.function; a script is asked without `type: python`.';
    notes.report(handler.place, `${quote(handler.written)} is no function of a module of Python.`, fix);
    return null;
  }
  const { folder } = handler.place.file;
  const module = path.slice(0, path.lastIndexOf('.'));
  const found = findPythonModule(module, [folder, notes.workspace]);
  if (found.kind === 'missing') {
    const message = `The hook ${quote(path)} has no module: there is no ${quote(found.file)} beside this file or in the workspace.`;
    noteFile(handler, notes, message, 'Correct the path, which is package.module.function, or put the module there. Or remove the hook.');
    return null;
  }
  if (found.kind === 'elsewhere')
    notes.diagnostics.push(
      toDiagnostic(toShownPlace({ key: handler.place, value: handler }), {
        code: 'hook-file-missing',
        severity: 'hint',
        message: `The module ${quote(module)} is not beside this file or in the workspace: Python is to have it installed.`,
        why: 'Whether it is installed shows when the hook is first asked; if it is not, the hook denies every call it is asked about.',
        fix: 'Try it: `ralph hooks test`. A module of yours goes beside this file.',
      }),
    );
  return { kind: 'python', path, folders: [folder] };
}

function readProgram(handler: LocatedScalar, text: string, args: readonly string[], notes: HookNotes): HookHandler | null {
  const path = resolve(handler.place.file.folder, text);
  const isProgram = !text.includes('/') && !SCRIPTS.includes(extname(text)) && !isFile(path);
  if (isProgram) return { kind: 'command', argv: [text, ...args], file: null };
  const file = findFile(handler, text, notes);
  if (file === null) return null;
  const command = toScriptCommand(file.path);
  if (command.length === 1 && !isExecutable(file.path)) {
    const fix = `Make it executable, \`chmod +x ${toShellWord(text)}\`, or give it the ending of a script: .sh, .py, .js, .mjs.`;
    noteFile(handler, notes, `The hook ${quote(handler.written)} cannot be started: ${quote(text)} may not be executed.`, fix);
    return null;
  }
  return { kind: 'command', argv: [...command, ...args], file };
}

function findFile(handler: LocatedScalar, name: string, notes: HookNotes): HookFile | null {
  const path = resolve(handler.place.file.folder, name);
  if (isFile(path)) return openFile(handler, name, path, notes);
  const fix =
    'Correct the path; it counts from the folder of this configuration file, as do packages in `node_modules`. Or remove the hook.';
  noteFile(handler, notes, `The hook ${quote(handler.written)} has no file: ${quote(name)} is not there.`, fix);
  return null;
}

/** A file that cannot be read now could not be known by what it held. */
function openFile(handler: LocatedScalar, name: string, path: string, notes: HookNotes): HookFile | null {
  const sha256 = tryOr(() => createHash('sha256').update(readFileSync(path)).digest('hex'), null);
  if (sha256 !== null) return { path, sha256 };
  const fix = `Let whoever starts Ralph read it, such as by \`chmod u+r ${toShellWord(path)}\`. Or remove the hook.`;
  noteFile(handler, notes, `The hook ${quote(handler.written)} cannot be read: ${quote(name)} is there, and may not be read.`, fix);
  return null;
}

function noteFile(handler: LocatedScalar, { diagnostics }: HookNotes, message: string, fix: string): void {
  const why = 'A hook that cannot be started refuses every call that it is about.';
  diagnostics.push(
    toDiagnostic(toShownPlace({ key: handler.place, value: handler }), { code: 'hook-file-missing', severity: 'error', message, why, fix }),
  );
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

function isExecutable(path: string): boolean {
  return tryOr(() => {
    accessSync(path, constants.X_OK);
    return true;
  }, false);
}
