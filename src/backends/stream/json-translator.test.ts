import { describe, expect, it } from 'vitest';
import { toDenial } from './json-translator.ts';

/** What the CLIs said when they were tried. */
const REFUSALS = [
  '<tool_use_error>Error: No such tool available: Write. Write is not available',
  "Permission to use Bash has been denied because Claude Code is running in don't ask mode.",
  'Tool "write_file" not found in registry.',
  'Tool execution denied by policy.',
  'Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.',
  "Model tried to call unavailable tool 'invalid'.",
  'The user has specified a rule which prevents you from using this specific tool call.',
  'Tool write not found',
  'This hat may run only: npm test',
  "Tool 'create' does not exist.",
  'This "run_shell_command" invocation was denied by permission rules. Matching deny rule: "write_file".',
  'Permission denied because no interactive user response was available. Retry in an interactive session so the user can approve it, or try',
];

describe('a tool that was stopped', () => {
  it.each(REFUSALS)('by its CLI: %s', (summary) => {
    expect(toDenial('Write', false, summary)).toMatchObject({ tool: 'Write', layer: 'flags' });
  });

  it('by the operating system, whatever the tool says of itself', () => {
    expect(toDenial('bash', true, 'bash: line 1: a.txt: Read-only file system')?.layer).toBe('os');
    expect(toDenial('bash', false, "EROFS: read-only file system, open 'a.txt'")?.layer).toBe('os');
    expect(toDenial('shell', false, 'Failed to write file /project/a.txt')?.layer).toBe('os');
  });

  it.each([
    'exit 1',
    'cat: x: No such file or directory',
    'ls: cannot open: Permission denied',
    'AssertionError: tool x not found in list',
  ])('is not every failure: %s', (summary) => {
    expect(toDenial('bash', false, summary)).toBeNull();
  });

  it('is none that went well', () => {
    expect(toDenial('Read', true, 'the docs say: Tool execution denied by policy.')).toBeNull();
  });
});
