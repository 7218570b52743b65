import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRepository } from './git.ts';
import { makeFolder, plainEnvironment, RALPH, ralph } from './ralph.ts';

const TASK = 'Change the parser so that it reads lists of lists, and say in the guide how such lists are written at last';
const PAYLOAD = 'the first step of the work, in a payload that is longer than any terminal of eighty columns shows in one line';
const GATE = 'test -f work.txt && echo a rather long command of a gate that goes on past the edge of a terminal';
const ABOUT = 'Cuts the work into small steps, each of which can be proven by a test that fails before it.';

const FILES = {
  'ralph.yml': `cli: {backend: custom, command: ./agent.sh}
event_loop: {checkpoint_interval: 0}
gates:
  - {on: [build.done], run: "${GATE}"}
hats:
  planner:
    description: ${ABOUT}
    triggers: [task.start, task.resume, review.rejected, build.blocked]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
  reviewer:
    triggers: [build.done]
    publishes: [review.rejected, LOOP_COMPLETE]
`,
  'agent.sh': `#!/bin/sh
case "$RALPH_HAT" in
planner) "$RALPH_BIN" emit build.task "${PAYLOAD}";;
builder) echo x >> work.txt; "$RALPH_BIN" emit build.done "done";;
reviewer) "$RALPH_BIN" emit LOOP_COMPLETE "done";;
esac
`,
};

/** Each command of a list, with what must be there in whole. */
const COMMANDS: readonly (readonly [command: string, ...words: readonly string[]])[] = [
  ['events', 'task.start', 'reviewer', PAYLOAD, 'from', 'to', 'cause', 'payload'],
  ['runs', TASK, 'completed', 'started', 'cost', 'worktree', 'asked'],
  ['runs --all', TASK, 'completed', 'folder'],
  ['show', TASK, GATE],
  ['show 1', 'planner'],
  ['status', TASK, GATE],
  ['doctor', 'may run any command and change any file that you may'],
  ['hats', 'task.start, task.resume, review.rejected, build.blocked', 'review.rejected, LOOP_COMPLETE', ABOUT, 'custom:./agent.sh'],
  ['worktrees list', 'completed', 'what is in it'],
  ['tools', 'ralph tools --profile NAME', 'web_search'],
  ['graph', 'planner', 'build.task'],
  ['validate', 'valid'],
  ['presets', 'ralph init --preset NAME'],
  ['simulate --runs 20', 'simulated runs complete'],
  ['trace build.task', 'builder'],
  ['gates', GATE],
];

const canOpenTerminals = spawnSync('script', ['--version']).status === 0;
let folder = '';
let state = '';
beforeAll(async () => {
  folder = makeFolder(FILES);
  state = makeFolder();
  makeRepository(folder);
  for (const more of [[], ['--worktree']]) {
    const { code, stderr } = await ralph(folder, ['run', '-p', TASK, ...more], { XDG_STATE_HOME: state });
    expect(code, stderr).toBe(0);
  }
}, 60_000);
afterAll(() => {
  for (const path of [folder, state]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
});

/** What a person sees of a command on a terminal of so many columns. */
function see(command: string, columns: number, cwd = folder): string {
  const line = `stty cols ${columns} rows 24; exec ${process.execPath} ${RALPH} ${command}`;
  const env = plainEnvironment({ TERM: 'xterm', XDG_STATE_HOME: state });
  const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { cwd, env, encoding: 'utf8' });
  return stdout.replaceAll('\r', '');
}

/** As the command itself lists them. */
const COMMAND_NAMES = [...spawnSync(RALPH, ['help', 'all'], { encoding: 'utf8' }).stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map(
  ([, name]) => name ?? '',
);

test('all commands are known here', () => expect(COMMAND_NAMES.length).toBeGreaterThan(25));

describe.runIf(canOpenTerminals)('on a terminal of 80 columns', () => {
  test.each(['', ...COMMAND_NAMES])('the help of `ralph %s` keeps within it, in whole', (name) => {
    const seen = see(`${name} --help`, 80);
    expect(seen).toContain(`Usage: ralph ${name}`);
    expect(seen).toContain('Examples:');
    expect(seen.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('what a folder without runs says keeps within it', () => {
    for (const command of ['runs', 'worktrees', 'ps', 'reap']) {
      const lines = see(command, 80, state).split('\n');
      expect(lines.length, command).toBeGreaterThan(1);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

describe.runIf(canOpenTerminals).each([80, 60, 40])('on a terminal of %i columns', (columns) => {
  // The line of `validate` for a file is one word after the other, for programs too: it stays one.
  test.each(COMMANDS.filter(([command]) => columns > 40 || command !== 'validate'))(
    '`ralph %s` keeps within it and cuts nothing',
    (command, ...words) => {
      const seen = see(command, columns);
      const lines = seen.split('\n');
      // A path stays whole, so that it can be copied, and so does the name of a worktree.
      expect(lines.filter((line) => line.length > columns && !/^(?:\/|\d{8}-)\S+$/.test(line))).toEqual([]);
      expect(lines.filter((line) => line.includes('…'))).toEqual([]);
      const text = seen.replace(/\s+/g, ' ');
      for (const word of words) expect(text).toContain(word);
    },
  );
});
