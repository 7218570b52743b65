import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { accept, type Result, refuse, tryOr } from '../core/values/result.ts';
import { type LaunchedChild, type ProcessFault, type ProcessInput, type ProcessSpec, toFault } from './contract.ts';
import { INIT_HANDLE, toIsolated } from './isolation.ts';
import { findHeldPipe, type OutputPipe, restockOutputPipes, takeOutputPipe } from './named-pipes.ts';
import { MARKER_VARIABLE } from './process-table.ts';

type StdioPart = Extract<StdioOptions, readonly unknown[]>[number];

const O_CLOEXEC = 0o2000000;
/** The highest handle that is covered: a higher one would cost every child a table of that length. */
const MAX_HANDLE = 1023;
const HANDLE_TABLE = '/proc/self/fd';
const LIMITS_FILE = '/proc/self/limits';
/** How many handles the start of a child needs, beside its table and one for each handle that is covered. */
const SPARE_HANDLES = 8;

/** The child, or why there is none: some failures are only told later. */
type LaunchResult = Result<LaunchedChild, Promise<ProcessFault>>;

/** Starts the child as leader of a process group and session of its own. Never throws. */
export function launchChild(spec: ProcessSpec): LaunchResult {
  const toClose: number[] = [];
  const pipes: OutputPipe[] = [];
  try {
    const input = openInput(spec.input ?? { kind: 'none' });
    if (typeof input === 'number') toClose.push(input);
    if (spec.isContentWithSockets !== true) for (const pipe of [takeOutputPipe(), takeOutputPipe()]) if (pipe) pipes.push(pipe);
    toClose.push(...pipes.map((pipe) => pipe.childFd));
    const child = spawnDetached(spec, [input, pipes[0]?.childFd ?? 'pipe', pipes[1]?.childFd ?? 'pipe']);
    if (pipes.length > 0) restockOutputPipes();
    return child.pid === undefined ? failLater(child, spec, pipes) : takeStreams(child, child.pid, spec, pipes);
  } catch (error) {
    // Some failures are thrown (too many arguments, a zero byte in one), others are sent as an event: callers see no difference.
    for (const pipe of pipes) pipe.discard();
    return refuse(Promise.resolve(toFault(error)));
  } finally {
    for (const fd of toClose) closeSync(fd);
  }
}

function spawnDetached(spec: ProcessSpec, stdio: readonly StdioPart[]): ChildProcess {
  const env = spec.marker === undefined ? { ...spec.env } : { ...spec.env, [MARKER_VARIABLE]: spec.marker };
  const isolated = spec.isolation && toIsolated(spec.isolation, { ...spec, env });
  const { command, args, env: own } = isolated ?? { ...spec, env };
  const first = [...stdio, ...toOwnHandles(isolated !== undefined && isolated !== null, findHeldPipe(spec.marker))];
  const handles = [...first, ...listShadows().slice(first.length - stdio.length)];
  return spawn(command, [...args], { cwd: spec.cwd, env: { ...own }, stdio: handles, detached: true });
}

/** What a child gets besides its streams: the handles of process 1 of its namespace, which keeps them to itself, and the pipe of its run. */
function toOwnHandles(isIsolated: boolean, heldPipe: number | undefined): readonly StdioPart[] {
  if (!isIsolated) return heldPipe === undefined ? [] : [heldPipe];
  return heldPipe === undefined ? ['pipe'] : ['pipe', 'ignore', heldPipe];
}

function takeStreams(child: ChildProcess, pid: number, spec: ProcessSpec, pipes: readonly OutputPipe[]): LaunchResult {
  const stdout = pipes[0]?.open() ?? child.stdout;
  const stderr = pipes[1]?.open() ?? child.stderr;
  // Node.js always makes the streams it was asked for; the check is for the type.
  if (stdout === null || stderr === null) return refuse(Promise.resolve({ code: 'no-pipe', message: 'the child has no output pipes' }));
  // A child that closes its input early, or cannot be signalled, is no reason to end this program.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  if (spec.input?.kind === 'text') child.stdin?.end(spec.input.text);
  return accept({ child, pid, stdin: child.stdin, stdout, stderr, init: findInit(child, spec) });
}

function findInit(child: ChildProcess, { isolation }: ProcessSpec): Duplex | null {
  const stream = isolation && child.stdio[INIT_HANDLE];
  if (!(stream instanceof Socket)) return null;
  stream.on('error', () => {});
  return stream;
}

function failLater(child: ChildProcess, spec: ProcessSpec, pipes: readonly OutputPipe[]): LaunchResult {
  for (const pipe of pipes) pipe.discard();
  return refuse(new Promise((resolve) => child.once('error', (error) => resolve(explainFault(toFault(error), spec)))));
}

/** The system says ENOENT for a missing program and for a missing working folder alike. */
function explainFault(fault: ProcessFault, spec: ProcessSpec): ProcessFault {
  if (fault.code !== 'ENOENT' || existsSync(spec.cwd)) return fault;
  return { code: fault.code, message: `working folder not found: ${spec.cwd}` };
}

/** What the child gets as standard input: a file descriptor for the caller to close after the start, or a word `spawn` knows. */
type OpenedInput = number | 'ignore' | 'pipe';

/**
 * Makes a child's standard input ready.
 *
 * @throws the system's error when the file of a `file` input cannot be read, and `EINVAL` when it is no regular file (opening a
 * named pipe would wait for its writer for ever).
 */
function openInput(input: ProcessInput): OpenedInput {
  if (input.kind === 'none') return 'ignore';
  if (input.kind === 'open') return 'pipe';
  if (input.kind === 'file') return openRegularFile(input.path);
  return writeUnlinkedFile(input.text) ?? 'pipe';
}

function openRegularFile(path: string): number {
  if (!statSync(path).isFile()) throw Object.assign(new Error(`not a regular file: ${path}`), { code: 'EINVAL' });
  return openSync(path, 'r');
}

/**
 * A text as a file that has no name any more. Compared with a pipe: nothing to pump, nothing to break when the child does not read,
 * and `/dev/stdin` can be opened. Undefined when the temporary folder cannot take it.
 */
function writeUnlinkedFile(text: string | Uint8Array): number | undefined {
  let fd: number | undefined;
  try {
    const path = join(tmpdir(), `ralph-input-${randomUUID()}`);
    fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    const bytes = Buffer.from(text);
    // Written at a given place, so that the shared position stays at the beginning for the child.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
    return fd;
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

let shadows: readonly ('ignore' | number)[] | undefined;

/**
 * What follows the first three in the `stdio` of a child, so that it gets nothing that was open when this process was started: Node.js sees to that
 * for the first few handles only. A folder among them would lead out of any sandbox that is made of mounts. Empty where there is none.
 */
function listShadows(): readonly ('ignore' | number)[] {
  shadows ??= toShadows(findInherited());
  return shadows;
}

function toShadows(all: readonly number[]): readonly ('ignore' | number)[] {
  const inherited = dropHighest(all);
  const highest = Math.max(0, ...inherited);
  if (highest === 0) return [];
  const nothing = openSync('/dev/null', 'r+');
  return Array.from({ length: highest - 2 }, (_, index) => (inherited.includes(index + 3) ? nothing : 'ignore'));
}

/**
 * Leaves out, and closes, what lies above the limit of open files or just below: no child could be started with a table of that length. It was not opened
 * here: the program that handed it on set the limit afterwards.
 */
function dropHighest(inherited: readonly number[]): readonly number[] {
  if (inherited.length === 0) return inherited;
  const end = readLimit() - SPARE_HANDLES - inherited.length;
  for (const handle of inherited) if (handle >= end) closeSync(handle);
  return inherited.filter((handle) => handle < Math.min(end, MAX_HANDLE + 1));
}

/** How many files this process may have open; Node.js has raised it as far as it goes. */
function readLimit(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS_FILE, 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** The handles that this process was started with: Node.js opens its own so that no child gets them. */
function findInherited(): readonly number[] {
  return tryOr(
    () =>
      readdirSync(HANDLE_TABLE)
        .map(Number)
        .filter((handle) => handle > 2 && isHandedOn(handle)),
    [],
  );
}

function isHandedOn(handle: number): boolean {
  return tryOr(() => {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  }, false);
}
