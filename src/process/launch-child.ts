import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { findHeldPipe } from './held-pipe.ts';
import { listShadows } from './inherited-handles.ts';
import { INIT_HANDLE, toIsolated } from './isolation.ts';
import { markerVariable } from './marker.ts';
import { openInput } from './open-input.ts';
import { type OutputPipe, restockOutputPipes, takeOutputPipe } from './output-pipe.ts';
import type { ProcessFault, ProcessSpec } from './process-spec.ts';
import { toFault } from './to-fault.ts';

type StdioPart = Extract<StdioOptions, readonly unknown[]>[number];

/** A child that runs (or has run). */
export interface LaunchedChild {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Where process 1 of the child's own namespace tells how the child ended; null without a namespace. */
  readonly init: Duplex | null;
}

/** No child, and why. */
export interface FailedLaunch {
  readonly fault: Promise<ProcessFault>;
}

/** Starts the child as leader of a process group and session of its own. Never throws. */
export function launchChild(spec: ProcessSpec): LaunchedChild | FailedLaunch {
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
    return { fault: Promise.resolve(toFault(error)) };
  } finally {
    for (const fd of toClose) closeSync(fd);
  }
}

function spawnDetached(spec: ProcessSpec, stdio: readonly StdioPart[]): ChildProcess {
  const env = spec.marker === undefined ? { ...spec.env } : { ...spec.env, [markerVariable]: spec.marker };
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

function takeStreams(child: ChildProcess, pid: number, spec: ProcessSpec, pipes: readonly OutputPipe[]): LaunchedChild | FailedLaunch {
  const stdout = pipes[0]?.open() ?? child.stdout;
  const stderr = pipes[1]?.open() ?? child.stderr;
  // Node.js always makes the streams it was asked for; the check is for the type.
  if (stdout === null || stderr === null) return { fault: Promise.resolve({ code: 'no-pipe', message: 'the child has no output pipes' }) };
  // A child that closes its input early, or cannot be signalled, is no reason to end this program.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  if (spec.input?.kind === 'text') child.stdin?.end(spec.input.text);
  return { child, pid, stdin: child.stdin, stdout, stderr, init: findInit(child, spec) };
}

function findInit(child: ChildProcess, { isolation }: ProcessSpec): Duplex | null {
  const stream = isolation && child.stdio[INIT_HANDLE];
  if (!(stream instanceof Socket)) return null;
  stream.on('error', () => {});
  return stream;
}

function failLater(child: ChildProcess, spec: ProcessSpec, pipes: readonly OutputPipe[]): FailedLaunch {
  for (const pipe of pipes) pipe.discard();
  return { fault: new Promise((resolve) => child.once('error', (error) => resolve(explainFault(toFault(error), spec)))) };
}

/** The system says ENOENT for a missing program and for a missing working folder alike. */
function explainFault(fault: ProcessFault, spec: ProcessSpec): ProcessFault {
  if (fault.code !== 'ENOENT' || existsSync(spec.cwd)) return fault;
  return { code: fault.code, message: `working folder not found: ${spec.cwd}` };
}
