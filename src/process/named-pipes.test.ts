import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { childEnv } from './child-fixtures.ts';
import type { ChildProcessHandle } from './contract.ts';
import { holdPipe, isPipeHeld, makeNamedPipe, takeOutputPipe } from './named-pipes.ts';
import { findIsolation, startProcess } from './start-process.ts';

it.skipIf(!existsSync('/dev/shm'))(
  'makes pipes in memory, so that a folder for temporary files that is slow, full or gone costs a turn nothing',
  () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/nowhere/at/all';
    try {
      const pipe = takeOutputPipe();
      expect(pipe && fstatSync(pipe.childFd).isFIFO()).toBe(true);
      if (pipe) closeSync(pipe.childFd);
      pipe?.discard();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  },
);

it.skipIf(process.platform !== 'linux')('makes a named pipe together with those for outputs, and leaves nothing of them behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-named-'));
  const path = join(folder, 'pipe');
  try {
    expect(makeNamedPipe(path)).toBe(true);
    expect(lstatSync(path).isFIFO()).toBe(true);
    const pipe = takeOutputPipe();
    expect(pipe && fstatSync(pipe.childFd).isFIFO()).toBe(true);
    if (pipe) closeSync(pipe.childFd);
    pipe?.discard();
    const left = ['/dev/shm', tmpdir()].flatMap((place) => (existsSync(place) ? readdirSync(place) : []));
    expect(left.filter((name) => name.startsWith(`ralph-pipes-${process.pid}-`))).toEqual([]);
    expect(makeNamedPipe(join(folder, 'no-such-folder', 'pipe'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-held-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** What a process has open, by name. */
function listOpen(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
}

let count = 0;
const toPath = (): string => join(FOLDER, `pipe-${count++}`);

describe.skipIf(process.platform !== 'linux')('a pipe that a process holds open', () => {
  it('says from anywhere that the process lives, and is gone when it lets go', () => {
    const path = toPath();
    const letGo = holdPipe(path, 'run-1');
    expect([existsSync(path), isPipeHeld(path), isPipeHeld(path)]).toEqual([true, true, true]);
    letGo?.();
    expect([existsSync(path), isPipeHeld(path)]).toEqual([false, null]);
    letGo?.();
  });

  it('is held by nobody when its process was killed', async () => {
    const path = toPath();
    execFileSync('mkfifo', [path]);
    expect(isPipeHeld(path)).toBe(false);
    const holder = spawn('sh', ['-c', 'exec 3<>"$1"; echo held; sleep 100', 'sh', path], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    expect(isPipeHeld(path)).toBe(true);
    const gone = new Promise((resolve) => holder.once('close', resolve));
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    await gone;
    expect(isPipeHeld(path)).toBe(false);
  });

  it('is held by what its process started for the run as well, and by nothing else', async () => {
    const path = toPath();
    const letGo = holdPipe(path, 'run-2');
    const search = await findIsolation();
    const spec = { command: 'sh', args: ['-c', 'echo up; sleep 100'], cwd: FOLDER, env: childEnv };
    const started = await Promise.all(
      ['run-2/1.1', 'run-3/1.1'].flatMap((marker) =>
        [undefined, search.ok ? search.value : undefined].map(async (isolation) => {
          let child: ChildProcessHandle | undefined;
          await new Promise<void>((resolve) => {
            child = startProcess({ ...spec, marker, isolation, onStdoutLine: () => resolve() });
          });
          return child as ChildProcessHandle;
        }),
      ),
    );
    const isHolder = started.map(({ pid }) => listOpen(pid ?? 0).includes(path));
    for (const child of started) child.kill();
    await Promise.all(started.map(({ result }) => result));
    letGo?.();
    expect(isHolder).toEqual([true, true, false, false]);
  });

  it('cannot be told where something else stands, or nothing', () => {
    const [file, link, none] = [toPath(), toPath(), toPath()];
    writeFileSync(file, '');
    execFileSync('mkfifo', [`${link}-target`]);
    symlinkSync(`${link}-target`, link);
    expect([file, link, none].map(isPipeHeld)).toEqual([null, null, null]);
    expect(holdPipe(join(FOLDER, 'no-folder', 'pipe'), 'run-4')).toBeNull();
  });
});
