import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/commands.md'), 'utf8');

/** The help as a person sees it; a narrow terminal would break lines. */
function readHelp(...args: readonly string[]): string {
  return callHelp(...args, '--help');
}

function callHelp(...args: readonly string[]): string {
  return execFileSync(process.execPath, [join(ROOT, 'bin/ralph.js'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '200' },
  });
}

const ROOT_HELP = readHelp();

/** The commands with their summaries, in the order of the help. */
const COMMANDS = [...callHelp('help', 'all').matchAll(/^ {2}([a-z]+) {2,}(\S.*)$/gm)].map(
  (match) => [match[1] as string, match[2] as string] as const,
);

/** `-p, --prompt <text>`, for each option but `--help`. */
function listOptions(help: string): readonly string[] {
  const flags = [...help.matchAll(/^ {2}((?:-[a-zA-Z], )?--[a-z-]+(?: [<[][^>\]]+[>\]])?)(?= |$)/gm)].map((match) => match[1] as string);
  return flags.filter((flag) => !flag.includes('--help'));
}

function readSection(command: string): string {
  return PAGE.split('\n## ').find((part) => part.startsWith(`ralph ${command}\n`)) ?? '';
}

test('docs/commands.md lists every command of --help with its summary, and no other', () => {
  const listed = [...PAGE.matchAll(/^\| \[`([a-z]+)`\]\(#ralph-([a-z]+)\) \| (.*) \|$/gm)].map((match) => [match[1], match[3]]);
  expect(COMMANDS.length).toBeGreaterThan(10);
  expect(listed).toEqual(COMMANDS);
  expect([...PAGE.matchAll(/^## ralph ([a-z]+)$/gm)].map((match) => match[1])).toEqual(COMMANDS.map(([command]) => command));
});

test('docs/commands.md names the options of ralph itself', () => {
  for (const option of [...ROOT_HELP.matchAll(/(-[a-zA-Z]), (--[a-z-]+)/g)]) expect(PAGE).toContain(`\`${option[1]}\`, \`${option[2]}\``);
});

describe.each(COMMANDS)('docs/commands.md about ralph %s', (command) => {
  const help = readHelp(command);
  const section = readSection(command);

  test('shows how it is called', () => {
    expect(section).toContain(`\n${/^Usage: (.*)$/m.exec(help)?.[1]}\n`);
  });

  test('has every option of its help, in its order, and no other', () => {
    // A bar inside of a table is written `\|`.
    expect([...section.matchAll(/^\| `(-[^`]+)` \|/gm)].map((match) => match[1]?.replaceAll('\\|', '|'))).toEqual(listOptions(help));
  });

  test('names no option that it does not have', () => {
    const known = new Set([...help.matchAll(/--[a-z][a-z-]*/g)].map((match) => match[0]));
    expect([...section.matchAll(/--[a-z][a-z-]*/g)].map((match) => match[0]).filter((option) => !known.has(option))).toEqual([]);
  });
});
