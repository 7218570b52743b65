import { describe, expect, test } from 'vitest';
import type { Json } from '../values/json.ts';
import type { HookHandler } from './hook-spec.ts';
import { parseSentHandler, toPlacedHandler, toSentHandler } from './sent-handler.ts';

const script = (path: string): HookHandler => ({ kind: 'command', argv: ['sh', path, 'all'], file: { path, sha256: 'ab' } });

describe('what a hook asks on a worker', () => {
  test.each<readonly [string, HookHandler, HookHandler]>([
    ['a line of shell', { kind: 'shell', line: 'exit 2' }, { kind: 'shell', line: 'exit 2' }],
    ['a program', { kind: 'command', argv: ['jq', '.'], file: null }, { kind: 'command', argv: ['jq', '.'], file: null }],
    ['a script in the folder', script('/home/run/h/a.sh'), script('/worker/place/h/a.sh')],
    ['a script in the main checkout of a worktree', script('/home/main/h/a.sh'), script('/worker/place/h/a.sh')],
    [
      'a script that is started by itself',
      { kind: 'command', argv: ['/home/run/a'], file: { path: '/home/run/a', sha256: 'ab' } },
      { kind: 'command', argv: ['/worker/place/a'], file: { path: '/worker/place/a', sha256: 'ab' } },
    ],
  ])('is %s there, as here', (_, here, there) => {
    const sent = toSentHandler(here, ['/home/run', '/home/main']);
    const read = parseSentHandler(sent as unknown as Json);
    expect(read === null ? null : toPlacedHandler(read, '/worker/place')).toEqual(there);
  });

  test.each<readonly [string, HookHandler]>([
    ['a script of another folder', script('/home/runner/a.sh')],
    ['a function of a module', { kind: 'module', file: { path: '/home/run/a.mjs', sha256: 'ab' }, exported: 'x' }],
    ['a function of Python', { kind: 'python', path: 'a.b', folders: [] }],
  ])('is not %s, which does not travel', (_, handler) => {
    expect(toSentHandler(handler, ['/home/run'])).toBe(null);
  });

  test.each<Json>([
    null,
    { kind: 'shell' },
    { kind: 'program', argv: [] },
    { kind: 'program', argv: [7] },
    { kind: 'script', path: '../a.sh', sha256: 'ab', args: [] },
    { kind: 'script', path: '/etc/a.sh', sha256: 'ab', args: [] },
    { kind: 'script', path: 'h/../../a.sh', sha256: 'ab', args: [] },
    { kind: 'script', path: 'a.sh', sha256: 7, args: [] },
    { kind: 'module', path: 'a.mjs' },
  ])('is nothing where an order says something else (%#)', (value) => {
    expect(parseSentHandler(value)).toBe(null);
  });
});
