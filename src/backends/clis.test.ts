import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackendType, DETECTED_BACKENDS } from '../core/backends/backend-spec.ts';
import type { RalphError } from '../core/values/errors.ts';
import { createBackend, firstAvailable, listBackends } from './clis.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-registry-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(name: string, mode = 0o755): void {
  writeFileSync(join(folder, name), '#!/bin/sh\n');
  chmodSync(join(folder, name), mode);
}

describe('listBackends', () => {
  it('holds every CLI that a configuration can name, in the order of the default priority', () => {
    expect(listBackends().map(({ type }) => type)).toEqual(DETECTED_BACKENDS);
  });
});

describe('firstAvailable', () => {
  it('takes the first of the priority whose program is in the path', () => {
    install('codex');
    install('gemini');
    expect(firstAvailable(['claude', 'gemini', 'codex'], `/nowhere:${folder}`)).toBe('gemini');
  });

  it('passes over folders, files that may not be executed, and kinds that are no CLI', () => {
    mkdirSync(join(folder, 'claude'));
    install('codex', 0o644);
    install('kiro-cli');
    expect(firstAvailable(['custom', 'acp', 'claude', 'codex', 'kiro'], folder)).toBe('kiro');
  });

  it('says what it looked for, and what to do, when there is none', () => {
    let error: RalphError | undefined;
    try {
      firstAvailable(['claude', 'pi'], folder);
    } catch (thrown) {
      error = thrown as RalphError;
    }
    expect(error).toMatchObject({ code: 'no-agent-found', message: expect.stringContaining('claude, pi') });
    expect(error?.fix).toContain('ralph doctor');
  });
});

describe('createBackend', () => {
  const spec = { args: [], env: {}, permissions: 'bypass' } as const;

  it('labels a backend by its kind, its agent or its command', () => {
    expect(createBackend({ ...spec, type: 'claude' }).label).toBe('claude');
    expect(createBackend({ ...spec, type: 'kiro', agent: 'builder' }).label).toBe('kiro:builder');
    expect(createBackend({ ...spec, type: 'custom', command: './agent.sh' }).label).toBe('custom:./agent.sh');
  });
});

describe('a prompt with quotes and line ends', () => {
  /** What reaches a program that notes its arguments and its standard input. */
  async function hand(type: BackendType, promptMode?: 'arg'): Promise<{ readonly args: string; readonly stdin: string }> {
    const command = join(folder, 'agent');
    writeFileSync(command, '#!/bin/sh\nprintf "%s\\n" "$@" > args.txt\ncat > stdin.txt\n');
    chmodSync(command, 0o755);
    const backend = createBackend({ type, command, args: [], env: {}, permissions: 'default', ...(promptMode && { promptMode }) });
    await backend.start(
      {
        turn: { iteration: 1, attempt: 1 },
        prompt: PROMPT,
        promptFile: join(folder, 'prompt.md'),
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '' },
        marker: 'prompt-test/1.1',
        timeoutMs: 10_000,
        idleTimeoutMs: 10_000,
        logs: { stdoutPath: join(folder, 'out.log'), stderrPath: join(folder, 'err.log'), capBytes: 10_000 },
      },
      () => undefined,
    ).result;
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { args: read('args.txt'), stdin: read('stdin.txt') };
  }
  const PROMPT = 'Append {"topic":"a.b"}\nand "stop".';

  it('reaches opencode by standard input, letter for letter: an argument it would quote and escape', async () => {
    const { args, stdin } = await hand('opencode');
    expect(stdin).toBe(PROMPT);
    expect(args).not.toContain('topic');
  });

  it('reaches others as an argument, and opencode too where that is asked for', async () => {
    expect((await hand('gemini')).args).toContain(PROMPT);
    expect((await hand('opencode', 'arg')).args).toContain(PROMPT);
  });
});
