import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedTurn } from './scenario.ts';
import { planTurn } from './scripted-turn.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Runs a planned turn with the system's shell. */
function runTurn(turn: ScriptedTurn, stream = 'text') {
  const root = mkdtempSync(join(tmpdir(), 'ralph-turn-'));
  folders.push(root);
  const [parts, record, cwd] = ['turn', 'record', 'work'].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [parts, record, cwd]) mkdirSync(folder);
  for (const [name, content] of Object.entries(planTurn(turn))) writeFileSync(join(parts, name), content);
  writeFileSync(join(cwd, 'old.txt'), 'old');
  writeFileSync(join(root, 'ralph'), '#!/bin/sh\nprintf "[%s]" "$@"\nexit 3\n', { mode: 0o755 });
  const events = join(root, 'events.jsonl');
  const script = `turn=${parts}; record=${record}; stream=${stream}; . "$turn/turn.sh"`;
  const run = spawnSync('sh', ['-c', script], {
    cwd,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', RALPH_EVENTS_FILE: events, RALPH_BIN: join(root, 'ralph') },
  });
  return {
    ...run,
    read: (path: string) => readFileSync(join(cwd, path)),
    readRecord: (name: string) => readFileSync(join(record, name), 'utf8'),
    readEvents: () => readFileSync(events),
  };
}

describe('planTurn', () => {
  it('writes files of any name and content, makes their folders, and deletes', () => {
    const played = runTurn({ files: { "it's/a $HOME `x`": "a 'b' $c\n", 'bytes.bin': { base64: '/wAB' }, 'old.txt': null } });
    expect(played.read("it's/a $HOME `x`").toString()).toBe("a 'b' $c\n");
    expect([...played.read('bytes.bin')]).toEqual([255, 0, 1]);
    expect(() => played.read('old.txt')).toThrow(/ENOENT/);
    expect(played.status).toBe(0);
  });

  it('writes events as lines of JSON, as lines as they are, and as bytes as they are', () => {
    const played = runTurn({ events: [{ topic: 'a', payload: "it's" }, 'not JSON', { raw: '{"torn' }, { base64: '/w==' }] });
    expect([...played.readEvents()]).toEqual([...Buffer.from('{"topic":"a","payload":"it\'s"}\nnot JSON\n{"torn'), 255]);
  });

  it('calls ralph emit with words that no shell has touched, and keeps what came of it', () => {
    const played = runTurn({ emit: [{ topic: 'a', payload: '$(rm -rf x) "\' \\', json: true, target: 'b' }, 'c'] });
    expect(played.readRecord('emit-0.text')).toBe('[emit][a][$(rm -rf x) "\' \\][--json][--target][b]');
    expect(played.readRecord('emit-0.exit')).toBe('3\n');
    expect(played.readRecord('emit-1.text')).toBe('[emit][c]');
  });

  it('prints what the assistant says, plainly or in the stream of a CLI', () => {
    expect(runTurn({ output: 'hello', stderr: 'trouble' })).toMatchObject({ stdout: 'hello\n', stderr: 'trouble\n' });
    const spoken = runTurn({ output: 'hello', cost_usd: 0.5 }, 'claude')
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(spoken.map((event) => event.type)).toEqual(['system', 'assistant', 'result']);
    expect(spoken[2]).toMatchObject({ is_error: false, total_cost_usd: 0.5, result: 'hello' });
    expect(runTurn({ stdout: 'as it is' }, 'claude').stdout).toBe('as it is');
    expect(runTurn({}).stdout).toBe('');
  });

  it('says how a failed turn ended in the stream, and nothing more when it is killed', () => {
    expect(runTurn({ exit: 2, stderr: 'no' }, 'claude').stdout).toContain('"is_error":true,"result":"no"');
    expect(runTurn({ exit: 2, stderr: 'no' }, 'codex').stdout).toContain('"turn.failed"');
    expect(runTurn({ exit: 2, stderr: 'no' }, 'gemini').stdout).toContain('"status":"error"');
    expect(runTurn({ output: 'a', signal: 'TERM' }, 'claude').stdout).not.toContain('"type":"result"');
  });

  it('ends as it is told: with an exit code, or by a signal', () => {
    expect(runTurn({ exit: 7 }).status).toBe(7);
    expect(runTurn({ signal: 'KILL' }).signal).toBe('SIGKILL');
  });

  it('does the shell between the files and the events', () => {
    const played = runTurn({ files: { 'a.txt': 'A' }, run: 'cat a.txt > b.txt; echo >> "$RALPH_EVENTS_FILE"', events: ['x'] });
    expect(played.read('b.txt').toString()).toBe('A');
    expect(played.readEvents().toString()).toBe('\nx\n');
  });
});
