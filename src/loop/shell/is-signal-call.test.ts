import { describe, expect, it } from 'vitest';
import { isSignalCall } from './is-signal-call.ts';

describe('a use of a tool only publishes or claims the end', () => {
  it.each([
    ['task_complete', 'all done'],
    ['emit_event', '{"topic":"build.done"}'],
    ['mcp__ralph__emit_event', '{}'],
    ['ralph-emit_event', '{}'],
    ['Bash', 'ralph emit task.complete'],
    ['shell', `bash -lc 'ralph emit build.done "tests: green; lint: green"'`],
    ['Bash', '/opt/bin/ralph emit LOOP_COMPLETE {"a":1}'],
    ['Bash', '"$RALPH_BIN" emit build.done'],
  ])('%s: %s', (name, summary) => {
    expect(isSignalCall({ name, summary })).toBe(true);
  });
});

describe('a use of a tool is work', () => {
  it.each([
    ['write_file', 'ralph emit task.complete'],
    ['read_emit_events', ''],
    ['Bash', 'npm test && ralph emit task.complete'],
    ['Bash', 'ralph emit build.done && npm test'],
    ['Bash', 'ralph emit build.done; rm x'],
    ['Bash', 'ralph emit build.done "$(npm test)"'],
    ['Bash', 'ralph emit build.done `npm test`'],
    ['Bash', 'ralph emit build.done > note'],
    ['Bash', 'ralph emit build.done\nnpm test'],
    ['Bash', 'ralph events'],
    ['Bash', 'echo ralph emit build.done'],
  ])('%s: %s', (name, summary) => {
    expect(isSignalCall({ name, summary })).toBe(false);
  });
});

it('a name or a command line that is made for it is judged in one pass', () => {
  // Searched anew from each place, these would take minutes.
  const name = `${'shell'.repeat(20_000)}!`;
  const spaces = ' '.repeat(3900);
  for (let time = 0; time < 200; time += 1) {
    expect(isSignalCall({ name, summary: '' })).toBe(false);
    expect(isSignalCall({ name: 'bash', summary: `${spaces}x` })).toBe(false);
    expect(isSignalCall({ name: 'bash', summary: `sh -c${spaces}x` })).toBe(false);
  }
});
