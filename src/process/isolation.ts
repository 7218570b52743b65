import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';
import type { Isolation, ViewMount } from '../ports/program.ts';

/** The command that is started in the place of a program. */
interface IsolatedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
}

/** The handle of process 1 through which it tells how the program ended, and hears that it may go. */
export const INIT_HANDLE = 3;
/** Enough for all that a shell says of one program. */
const MAX_CHARACTERS = 4096;
/** Shells say 128 and the number of the signal. */
const SIGNAL_BASE = 128;
/** How long the last words are waited for: they lie in the pipe already. */
const LAST_WORD_MS = 1000;
/** How much of the first line of a script is read; the kernel reads no more either. */
const MAX_FIRST_LINE = 256;

/**
 * Process 1 of a namespace. With its end the kernel ends everything else inside. Nothing of it is made from data: all of that comes as arguments.
 *
 * The program runs in the foreground, so that it keeps its standard input and the signals that a background job would ignore. What the shell itself says
 * goes to handle 3: a word there is how a death by a signal is told from an exit code beyond 128. Where other processes are left when the program has ended,
 * its exit code is told ahead (`=CODE`), and process 1 stays until it hears that they had their time, or that its handle was closed.
 * Handle 5 is the pipe of the run (`holdPipe`), where it has one: process 1 holds it for all inside.
 * Variables whose names a shell cannot hold come as `RALPH_KEPT_0=NAME=VALUE` and so on.
 */
const INIT_SCRIPT = `exec 4>&2 2>&3
mount=$1
shift
while [ "$1" != -- ]; do
  case $1 in
    covered) "$mount" -t tmpfs -o mode=755 none "$2" ;;
    writable) "$mount" --bind "$2" "$2" ;;
    read-only) "$mount" --rbind -o ro "$2" "$2" ;;
    overlay) "$mount" -t overlay -o "$2" overlay "$3" ;;
    bind) "$mount" --rbind "$2" "$3" ;;
    bind-read-only) "$mount" --rbind -o ro "$2" "$3" ;;
    in) cd "$2" ;;
  esac || { echo '!'; exit 1; } >&2
  shift 3
done
shift
kept=0
while eval "pair=\\\${RALPH_KEPT_$kept-}"; [ -n "$pair" ]; do
  unset "RALPH_KEPT_$kept"
  set -- "$pair" "$@"
  kept=$((kept + 1))
done
if [ $kept != 0 ]; then set -- /usr/bin/env "$@"; fi
unset kept pair mount
(exec 2>&4 3>&- 4>&- 5<&-; exec "$@")
code=$?
set -- /proc/[0-9]*
if [ $# -gt 1 ]; then
  echo "=$code" >&3
  read -r go <&3
fi
exit $code
`;

/** Whether a command line, which may be cut, is that of `unshare` or the shell that keep a namespace for the program in it. */
export function keepsNamespace(command: string): boolean {
  return command.includes(INIT_SCRIPT.slice(0, INIT_SCRIPT.indexOf('\n')));
}

/**
 * The command that runs a program in namespaces of its own; `null` when the program cannot be found or has no interpreter, so that the system itself says why.
 */
export function toIsolated(
  isolation: Isolation,
  program: { readonly command: string; readonly args: readonly string[]; readonly cwd: string; readonly env: IsolatedCommand['env'] },
): IsolatedCommand | null {
  const path = findProgram(program.command, program.cwd, program.env['PATH']);
  if (path === null || !hasInterpreter(path)) return null;
  const { covered, readOnly, writable } = isolation;
  const mounts = [
    ...covered.flatMap((folder) => ['covered', folder, '']),
    ...writable.flatMap((folder) => ['writable', folder, '']),
    ...readOnly.flatMap((folder) => ['read-only', folder, '']),
    ...(isolation.view ?? []).flatMap((mount) => toViewWords(mount, isolation.hasUserNamespace)),
    // The folder in which it was started may have another one in its place now, or lie where only its own mount can be changed.
    ...(isolation.view === undefined && !isBelowAny(program.cwd, [...writable, ...readOnly]) ? [] : ['in', program.cwd, '']),
  ];
  const [command = '', ...words] = isolation.enter;
  const inner = [isolation.shell, '-c', INIT_SCRIPT, 'ralph-init', isolation.mount, ...mounts, '--'];
  return { command, args: [...words, ...inner, ...isolation.drop, path, ...program.args], env: keepOdd(program.env) };
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function toViewWords(mount: ViewMount, hasUserNamespace: boolean): readonly string[] {
  if (mount.kind === 'bind') return [mount.isReadOnly ? 'bind-read-only' : 'bind', mount.from, mount.path];
  const { lower, upper, work, path } = mount;
  // In a user namespace the kernel keeps its notes under names that belong to the user, and does not let folders from below be renamed in place.
  const options = [hasUserNamespace ? 'userxattr' : 'redirect_dir=on', `lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
  return ['overlay', options.join(','), path];
}

/** The folders without those that are not there: nothing could be mounted on them. */
export function selectExistingFolders(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}

/** A shell hands on only variables whose names it can hold. */
function keepOdd(env: IsolatedCommand['env']): IsolatedCommand['env'] {
  const kept: Record<string, string | undefined> = {};
  let count = 0;
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) kept[name] = value;
    else kept[`RALPH_KEPT_${count++}`] = `${name}=${value}`;
  }
  return kept;
}

/** The path of a program as the system looks for it, `null` where there is none: a shell would take some names for commands of its own. */
export function findProgram(command: string, cwd: string, searchPath: string | undefined): string | null {
  if (command.includes('/')) return isProgram(resolve(cwd, command)) ? (isAbsolute(command) ? command : resolve(cwd, command)) : null;
  const folders = (searchPath ?? '/usr/bin:/bin').split(delimiter).map((folder) => resolve(cwd, folder));
  return folders.map((folder) => join(folder, command)).find(isProgram) ?? null;
}

/** False for a script whose interpreter is not there. */
function hasInterpreter(path: string): boolean {
  const interpreter = /^#![ \t]*(\/[^ \t\n\0]*)/.exec(readStart(path))?.[1];
  return interpreter === undefined || isProgram(interpreter);
}

function readStart(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(MAX_FIRST_LINE);
      return bytes.toString('latin1', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    // What may be executed need not be readable.
    return '';
  }
}

/** Whether there is a file that this user may execute. */
export function isProgram(path: string): boolean {
  return tryOr(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isUnkillable?: true;
  /** Why it was never started, in the words of what should have started it. */
  readonly problem?: string;
}

/** What process 1 of a namespace says of the program that it started. */
export interface InitReport {
  /** Called once if the program ended and other processes are still there; process 1 then waits for {@link InitReport.release}. */
  onProgramEnd(listener: (exit: ChildExit) => void): void;
  /** Process 1 may end, and with it everything that is left. */
  release(): void;
  /** How the program ended, by the exit of the child that waited for process 1. Settles once everything was said. */
  explain(exit: ChildExit): Promise<ChildExit>;
}

/** Listens to process 1, see `INIT_SCRIPT`. */
export function readInit(stream: Duplex): InitReport {
  let text = '';
  let tell: (exit: ChildExit) => void = () => {};
  const ended = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve));
  stream.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < MAX_CHARACTERS) text += part;
    const code = /^=(\d+)$/m.exec(text)?.[1];
    if (code !== undefined) tell(toExit(Number(code), text));
  });
  return {
    onProgramEnd(listener) {
      tell = (exit) => {
        tell = () => {};
        listener(exit);
      };
    },
    release: () => void stream.destroy(),
    async explain(exit) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, LAST_WORD_MS)))]);
      clearTimeout(timer);
      return exit.code === null ? exit : toExit(exit.code, text);
    },
  };
}

/** A shell reports a death by a signal in words of its own; without a word the program itself chose its code. */
function toExit(code: number, text: string): ChildExit {
  const words = text.replace(/^=\d+$/m, '').trim();
  if (words.endsWith('!')) return { code: null, signal: null, problem: words.slice(0, -1).trim() };
  const signal = code > SIGNAL_BASE && words !== '' ? toSignal(code - SIGNAL_BASE) : null;
  return signal === null ? { code, signal } : { code: null, signal };
}

function toSignal(number: number): NodeJS.Signals | null {
  const found = Object.entries(systemConstants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}
