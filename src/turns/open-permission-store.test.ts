import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermissionEntry, PermissionGrant } from '../core/hooks/permission-spec.ts';
import { openPermissionStore } from './open-permission-store.ts';

let state: string;
let run: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'ralph-grants-'));
  run = join(state, 'runs', 'one');
  for (const name of ['one', 'two']) mkdirSync(join(state, 'runs', name), { recursive: true });
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const toKey = (mark: string): string => mark.repeat(64);
const toGrant = (mark: string): PermissionGrant => ({ v: 1, at: '', hat: 'a', tool: 'bash', argument: 'ls', key: toKey(mark) });
const ENTRY: PermissionEntry = {
  v: 1,
  at: '',
  turn: '1.1',
  hat: 'a',
  call: 'c',
  tool: 'bash',
  argument: 'ls',
  decision: 'deny',
  by: 'rule',
  why: '',
};

describe('the record of permissions', () => {
  it('knows what was granted for the run and for the project, also when the run goes on', () => {
    const store = openPermissionStore(run);
    store.grant('run', toGrant('a'));
    store.grant('project', toGrant('b'));
    const granted = (folder: string) => ['a', 'b', 'c'].map((mark) => openPermissionStore(folder).isGranted(toKey(mark)));
    expect(['a', 'b'].map((mark) => store.isGranted(toKey(mark)))).toEqual([true, true]);
    expect(granted(run)).toEqual([true, true, false]);
    expect(granted(join(state, 'runs/two'))).toEqual([false, true, false]);
    expect(statSync(join(state, 'grants.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('does not read what others write while the run goes on', () => {
    const store = openPermissionStore(run);
    appendFileSync(join(state, 'grants.jsonl'), `${JSON.stringify(toGrant('a'))}\n`);
    expect(store.isGranted(toKey('a'))).toBe(false);
  });

  it('passes over what is no grant, and a file that is too long', () => {
    const lines = ['{', '7', 'null', '{"v":1,"key":"x"}', JSON.stringify({ ...toGrant('a'), v: 2 }), JSON.stringify(toGrant('b')), ''];
    writeFileSync(join(run, 'grants.jsonl'), lines.join('\n'));
    expect(['a', 'b'].map((mark) => openPermissionStore(run).isGranted(toKey(mark)))).toEqual([false, true]);
    appendFileSync(join(run, 'grants.jsonl'), ' '.repeat(1 << 20));
    const store = openPermissionStore(run);
    expect(store.isGranted(toKey('b'))).toBe(false);
    store.grant('run', toGrant('c'));
    expect([store.isGranted(toKey('c')), openPermissionStore(run).isGranted(toKey('c'))]).toEqual([true, false]);
  });

  it('follows no link and waits for no pipe', () => {
    symlinkSync(join(state, 'elsewhere'), join(state, 'grants.jsonl'));
    spawnSync('mkfifo', [join(run, 'grants.jsonl'), join(run, 'permissions.jsonl')]);
    const store = openPermissionStore(run);
    store.grant('project', toGrant('a'));
    store.grant('run', toGrant('a'));
    store.note(ENTRY);
    expect([store.isGranted(toKey('a')), existsSync(join(state, 'elsewhere'))]).toEqual([true, false]);
  });

  it('keeps what was decided, line by line, up to its bound', () => {
    const store = openPermissionStore(run);
    store.note(ENTRY);
    store.note({ ...ENTRY, by: 'person' });
    const path = join(run, 'permissions.jsonl');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([ENTRY, { ...ENTRY, by: 'person' }]);
    writeFileSync(path, 'x'.repeat(8 << 20));
    store.note(ENTRY);
    expect(statSync(path).size).toBe(8 << 20);
  });

  it('stops nobody where nothing can be written', () => {
    const store = openPermissionStore(join(state, 'runs', 'gone'));
    store.grant('run', toGrant('a'));
    store.note(ENTRY);
    expect(store.isGranted(toKey('a'))).toBe(true);
  });
});
