import { z } from 'zod';
import type { CommandResult } from '../../process/start-process.ts';
import { defineTool, failWith, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { cleanOutput } from '../tool/tool-output.ts';
import { findSafeProgram, toProgramEnvironment } from './program/program-environment.ts';
import { describeProgramEnd, hasSucceeded, runProgram } from './program/run-program.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;
/** Linux takes no argument above 128 KB. */
const MAX_COMMAND_CHARACTERS = 100_000;

const parameters = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND_CHARACTERS)
    .refine((text) => !text.includes('\0'), 'holds a NUL character')
    .describe('What the shell runs.'),
  timeout: z.number().positive().max(MAX_SECONDS).default(DEFAULT_SECONDS).describe(`Seconds it may take, at most ${MAX_SECONDS}.`),
  cwd: z.string().optional().describe('Folder to run it in; default: the workspace.'),
});

type Args = z.infer<typeof parameters>;

export const bashTool = defineTool<Args>({
  name: 'bash',
  group: 'runtime',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  description:
    'Runs a shell command in the workspace and returns the end of what it printed, and its exit code. Standard input is closed; keys and tokens are not in the environment; what it leaves running is ended.',
  parameters,
  run: async ({ command, timeout, cwd }, context) => {
    const folder = await context.jail.resolveRead(cwd ?? '.');
    if (!folder.ok) return failWith(folder.refused);
    const shell = await findShell(context);
    const timeoutMs = timeout * 1000;
    const env = toProgramEnvironment(context);
    const result = await runProgram({ ...shell, args: [...shell.args, command], cwd: folder.value, env, timeoutMs }, context);
    return toResult(result, timeoutMs);
  },
});

async function findShell(context: ToolContext): Promise<{ command: string; args: readonly string[] }> {
  const bash = await findSafeProgram('bash', context);
  // Neither a profile nor an rc file: the same command does the same for everybody.
  return bash === null ? { command: '/bin/sh', args: ['-c', '--'] } : { command: bash, args: ['--noprofile', '--norc', '-c', '--'] };
}

function toResult(result: CommandResult, timeoutMs: number): ToolResult {
  const output = cleanOutput(result.output).trimEnd();
  const parts = [
    ...(result.isOutputCut ? ['[the beginning is missing: the command printed too much to keep]'] : []),
    ...(output === '' ? ['(no output)'] : [output]),
    `[${describeProgramEnd(result, timeoutMs)}]`,
  ];
  const durationMs = Math.round(result.durationMs);
  return { text: parts.join('\n'), isError: !hasSucceeded(result), keep: 'tail', facts: { exitCode: result.exitCode, durationMs } };
}
