import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useChildFixture } from './child-fixtures.ts';
import { startProcess } from './start-process.ts';

const fixture = useChildFixture('output');

/** Writes the bytes one after the other, each on its own, with a pause that lets the reader see them alone. */
const byteByByte = (bytes: Buffer): string =>
  `const b = Buffer.from('${bytes.toString('hex')}', 'hex'); let i = 0;
   const next = () => i < b.length && process.stdout.write(b.subarray(i, ++i), () => setTimeout(next, 3)); next()`;

describe("a child's output", () => {
  it('is decoded whole even when characters arrive in pieces', async () => {
    const lines: string[] = [];
    const chunks: string[] = [];
    const bytes = Buffer.from('é€😀\r\nlast');
    const listeners = { onStdoutLine: (line: string) => lines.push(line), onStdoutChunk: (text: string) => chunks.push(text) };
    await startProcess(fixture.node(byteByByte(bytes), listeners)).result;
    expect(lines).toEqual(['é€😀', 'last']);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.join('')).toBe('é€😀\r\nlast');
    expect(chunks.join('')).not.toContain('\ufffd');
  });

  it('is handed on before its line ends where it stands still, in whole characters', async () => {
    const parts: string[] = [];
    const lines: string[] = [];
    const child = startProcess(
      fixture.node(
        "process.stdout.write(Buffer.from('a€').subarray(0, 3)); process.stdin.once('data', () => { console.log('x'); process.exit() })",
        {
          input: { kind: 'open' },
          onStdoutPart: (text) => {
            parts.push(text);
            void child.write('go');
          },
          onStdoutLine: (line) => lines.push(line),
        },
      ),
    );
    await child.result;
    expect(parts).toEqual(['a']);
    expect(lines).toHaveLength(1);
  });

  it('keeps its order on both channels while they interleave', async () => {
    const stdout: string[] = [];
    const stderr: string[] = [];
    const code = 'for (let i = 0; i < 2000; i++) { console.log("o" + i); console.error("e" + i); }';
    const listeners = { onStdoutLine: (line: string) => stdout.push(line), onStderrLine: (line: string) => stderr.push(line) };
    const result = await startProcess(fixture.node(code, { ...listeners, stdoutPath: fixture.path('o'), stderrPath: fixture.path('e') }))
      .result;
    expect(stdout).toEqual(Array.from({ length: 2000 }, (_, index) => `o${index}`));
    expect(stderr).toEqual(Array.from({ length: 2000 }, (_, index) => `e${index}`));
    expect(fixture.read('o')).toBe(`${stdout.join('\n')}\n`);
    expect(fixture.read('e')).toBe(`${stderr.join('\n')}\n`);
    expect(result.stderrTail).toBe(fixture.read('e').slice(-8192));
  });

  it('may be a line of 100 MB: handed on cut, kept whole in the log, in bounded memory', async () => {
    const lines: [bytes: number, cut: boolean][] = [];
    let peakBytes = 0;
    const before = process.memoryUsage().arrayBuffers;
    const code =
      "const b = Buffer.alloc(1e6, 'x'); let n = 100; const go = () => n-- > 0 ? process.stdout.write(b, go) : console.log(); go()";
    const result = await startProcess(
      fixture.node(code, {
        stdoutPath: fixture.path('log'),
        onStdoutLine: (line, cut) => lines.push([line.length, cut]),
        onStdoutBytes: () => (peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers - before)),
      }),
    ).result;
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 100_000_001 });
    expect(lines).toEqual([[8 << 20, true]]);
    expect(statSync(fixture.path('log')).size).toBe(100_000_001);
    expect(peakBytes).toBeLessThan(100e6);
  });

  it('is not read while whoever takes it is behind, whole all the same, and that is no silence', async () => {
    const lines: string[] = [];
    let release = (): void => undefined;
    let behind: Promise<void> | null = null;
    let seen = 0;
    const code = "for (let i = 0; i < 200_000; i++) process.stdout.write('line ' + i + '\\n')";
    const child = startProcess(
      fixture.node(code, {
        idleTimeoutMs: 300,
        backpressure: () => behind,
        onStdoutLine: (line) => {
          lines.push(line);
          if (lines.length === 1) behind = new Promise((resolve) => (release = resolve));
        },
      }),
    );
    await delay(900);
    seen = lines.length;
    behind = null;
    release();
    const result = await child.result;
    expect(seen).toBeLessThan(20_000);
    expect(lines).toHaveLength(200_000);
    expect(result.stopReason).toBeUndefined();
  });

  it('is read to its end by a slow taker although the child has ended long since', async () => {
    const lines: string[] = [];
    let behind: Promise<void> | null = null;
    const child = startProcess(
      fixture.node("process.stdout.write('first\\n'); setTimeout(() => process.stdout.write('last\\n'), 100)", {
        drainMs: 100,
        backpressure: () => behind,
        onStdoutLine: (line) => {
          lines.push(line);
          behind ??= delay(900).then(() => undefined);
        },
      }),
    );
    await child.result;
    expect(lines).toEqual(['first', 'last']);
  });

  it('of a taker that never comes back does not keep a child that is stopped', async () => {
    let isBehind = false;
    const child = startProcess(
      fixture.node("console.log('first'); setInterval(() => console.log('more'), 20)", {
        drainMs: 100,
        backpressure: () => (isBehind ? new Promise(() => undefined) : null),
        onStdoutLine: () => {
          isBehind = true;
        },
      }),
    );
    await delay(300);
    expect(await child.stop(1000)).toMatchObject({ stopReason: 'stopped' });
  });

  it('is cut in the log at the limit, not for the listeners', async () => {
    let bytes = 0;
    const spec = fixture.shell('yes 0123456789 | head -c 5000000', { stdoutPath: fixture.path('log'), maxLogBytes: 1000 });
    const result = await startProcess({ ...spec, onStdoutLine: (line) => (bytes += line.length + 1) }).result;
    expect([result.stdoutBytes, bytes]).toEqual([5_000_000, 5_000_001]);
    const log = fixture.read('log');
    expect(log.slice(0, 1000)).toBe('0123456789\n'.repeat(100).slice(0, 1000));
    expect(log.slice(1000)).toBe('\n[log cut here: 4999000 more bytes were not kept]\n');
  });

  it.runIf(process.platform === 'linux')('stops the child and says why when the log cannot be written', async () => {
    const result = await startProcess(fixture.shell('while :; do echo x; sleep 0.01; done', { stdoutPath: '/dev/full' })).result;
    expect(result).toMatchObject({ status: 'signaled', signal: 'SIGTERM', stopReason: 'stopped', logError: { code: 'ENOSPC' } });
  });

  it('waits for the last words of helpers that outlive the child', async () => {
    const lines: string[] = [];
    // The helper speaks as soon as the child is collected: no clock of its own decides whether that is soon enough.
    const spec = fixture.shell('(while kill -0 $$ 2>/dev/null; do :; done; echo late) & echo early', {
      onStdoutLine: (line) => lines.push(line),
    });
    // Whether the helper is gone by then, or closes its pipe a moment before it is, is the system's affair.
    expect(await startProcess(spec).result).toMatchObject({ exitCode: 0, status: 'exited' });
    expect(lines).toEqual(['early', 'late']);
  });
});
