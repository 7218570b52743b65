import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPlainOutput } from './plain-output.ts';

let folder = '';
const handles: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-output-'));
});
afterEach(() => {
  for (const handle of handles.splice(0)) closeSync(handle);
  rmSync(folder, { recursive: true });
});

function open(name: string, flags: string | number): number {
  const handle = openSync(resolve(folder, name), flags);
  handles.push(handle);
  return handle;
}

/** A stream of the engine that keeps what it is given. */
function fakeStream() {
  const chunks: Buffer[] = [];
  return {
    destroyed: false,
    write: (data: string | Uint8Array) => chunks.push(Buffer.from(data)),
    on: () => undefined,
    bytes: () => Buffer.concat(chunks),
  };
}

const refuse = (): never => {
  throw new Error('the stream is not needed');
};

it('writes into a file without a stream of the engine', () => {
  const output = openPlainOutput(open('out.txt', 'w'), refuse);
  output.write('one ✓\n');
  output.write('two\n');
  expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('one ✓\ntwo\n');
  expect([output.isTTY, output.destroyed]).toEqual([undefined, false]);
});

it('tells why a text could not be written, and is closed then', () => {
  writeFileSync(join(folder, 'out.txt'), '');
  const output = openPlainOutput(open('out.txt', 'r'), refuse);
  const codes: (string | undefined)[] = [];
  output.on('error', ({ code }) => codes.push(code));
  output.write('lost');
  expect([codes, output.destroyed]).toEqual([['EBADF'], true]);
});

it('leaves everything that is no file and no pipe to the stream of the engine', () => {
  const stream = fakeStream();
  expect(openPlainOutput(open('/dev/null', 'w'), () => stream)).toBe(stream);
});

it('hands the rest of what a full pipe does not take, and all after it, to the stream of the engine', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const reader = open('pipe', constants.O_RDONLY | constants.O_NONBLOCK);
  const stream = fakeStream();
  const output = openPlainOutput(open('pipe', constants.O_WRONLY | constants.O_NONBLOCK), () => stream);
  const text = '✓ a line\n'.repeat(50_000);
  output.write(text);
  output.write('the end');
  const taken = Buffer.alloc(Buffer.byteLength(text));
  const length = readSync(reader, taken);
  expect(length).toBeGreaterThan(0);
  expect(Buffer.concat([taken.subarray(0, length), stream.bytes()]).toString()).toBe(`${text}the end`);
});
