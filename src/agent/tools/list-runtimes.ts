import { parse } from 'node:path';
import { z } from 'zod';
import { defineTool, succeed, type ToolContext } from '../tool/tool.ts';
import { cleanOutput } from '../tool/tool-output.ts';
import { findSafeProgram, toProgramEnvironment, toSafePath } from './program/program-environment.ts';
import { runProgram } from './program/run-program.ts';

const TIMEOUT_MS = 10_000;
const LANES = 4;
const MAX_VERSION_CHARACTERS = 100;

/** Programs that agents ask for, and how each tells its version. */
const RUNTIMES: readonly (readonly [name: string, ...args: string[]])[] = [
  ...['node', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'python3', 'uv', 'poetry', 'ruby', 'bundle', 'php', 'composer'].map(toVersionCall),
  ['go', 'version'],
  ...['cargo', 'rustc', 'dotnet', 'elixir', 'swift', 'gcc', 'clang', 'cmake', 'make', 'just'].map(toVersionCall),
  ['java', '-version'],
  ...['mvn', 'gradle', 'git', 'docker', 'rg', 'jq', 'curl', 'sqlite3'].map(toVersionCall),
];

/** By the PATH that was searched: what is installed hardly changes in the life of a run. */
const known = new Map<string, Promise<readonly string[]>>();

export const listRuntimesTool = defineTool<Record<string, never>>({
  name: 'list_runtimes',
  group: 'runtime',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  description: 'Lists which languages, package managers and tools are installed on this machine, with their versions.',
  parameters: z.strictObject({}),
  run: async (_args, context) => {
    const path = await toSafePath(context);
    const lines = await (known.get(path) ?? remember(path, context));
    return succeed(lines.length === 0 ? 'None of the usual runtimes is on the PATH.' : lines.join('\n'), { count: lines.length });
  },
});

function remember(path: string, context: ToolContext): Promise<readonly string[]> {
  const lines = ask(path, context);
  known.set(path, lines);
  // What was asked while the turn was being stopped is no answer.
  const forget = (): boolean => context.signal.aborted && known.delete(path);
  lines.then(forget, () => known.delete(path));
  return lines;
}

async function ask(path: string, context: ToolContext): Promise<readonly string[]> {
  const answers = new Map<string, string>();
  const waiting = [...RUNTIMES];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, ...args] = next;
      const command = await findSafeProgram(name, context);
      if (command !== null) answers.set(name, await askVersion(command, args, path, context));
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return RUNTIMES.flatMap(([name]) => (answers.has(name) ? [`${name}: ${answers.get(name)}`] : []));
}

/** Asked in the root folder: version managers would read the workspace's files, and some load what these name. */
async function askVersion(command: string, args: readonly string[], path: string, context: ToolContext): Promise<string> {
  const env = {
    ...toProgramEnvironment(context),
    PATH: path,
    COREPACK_ENABLE_NETWORK: '0',
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
    DOTNET_NOLOGO: '1',
  };
  const result = await runProgram(
    { command, args, cwd: parse(context.jail.workspace).root, env, timeoutMs: TIMEOUT_MS, captureBytes: 64_000 },
    // Programs of the system that are asked for their version: nothing that a model wrote.
    { marker: context.marker, signal: context.signal },
  );
  const said = cleanOutput(`${result.stdout}\n${result.stderr}`)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /\d/.test(line));
  return result.exitCode === 0 && said !== undefined ? said.slice(0, MAX_VERSION_CHARACTERS) : 'installed, but does not tell its version';
}

function toVersionCall(name: string): readonly [string, string] {
  return [name, '--version'];
}
