import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { compileGlob } from '../files/compile-glob.ts';
import { suggestPath } from '../files/read-folder.ts';
import { createSearchBudget, describeStop, SEARCH_LIMITS } from '../files/search-budget.ts';
import { grepByRipgrep } from '../grep/grep-by-ripgrep.ts';
import { grepByWalk } from '../grep/grep-by-walk.ts';
import type { GrepFile, GrepFound, GrepOrder } from '../grep/grep-order.ts';
import { defineTool, fail, failWith, type Jail, READS_FILES, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { cutLine, maskOutput } from '../tool/tool-output.ts';
import { findSafeProgram } from './program/program-environment.ts';

const MAX_PATTERN_CHARACTERS = 2000;
const MAX_LINE_CHARACTERS = 500;

const parameters = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(MAX_PATTERN_CHARACTERS)
    .describe('Regular expression, or with "literal" a text; held against one line at a time.'),
  path: z.string().default('.').describe('File or folder, relative to the workspace; default: the workspace.'),
  glob: z.string().optional().describe('Only files like this: "*.ts" or "src/**/*.json".'),
  mode: z
    .enum(['files', 'content', 'count'])
    .default('content')
    .describe('content: the lines; files: only the paths; count: lines per file.'),
  context: z.number().int().min(0).max(20).default(0).describe('Lines to show before and after each.'),
  ignore_case: z.boolean().default(false),
  literal: z.boolean().default(false).describe('True: the pattern is a text, not a regular expression.'),
  limit: z.number().int().min(1).max(1000).default(100).describe('How many lines (content) or files at most.'),
});

type Args = z.infer<typeof parameters>;

export const grepTool = defineTool<Args>({
  name: 'grep',
  group: 'fs_read',
  hints: READS_FILES,
  description:
    'Finds lines in files by a regular expression. Leaves out binary files, what .gitignore names, .git and node_modules, unless "path" is such a folder.',
  parameters,
  run: async (args, context) => {
    const order = await toOrder(args, context);
    if (!order.ok) return failWith(order.refused);
    const found = await search(order.value, context);
    if (context.signal.aborted) return fail('Stopped: the turn was ended.');
    if (!found.ok) {
      return fail(
        maskControls(`The pattern "${args.pattern}" cannot be used: ${found.refused}`, { keepsLines: true }),
        'Correct the regular expression, or search for the text itself with literal: true.',
      );
    }
    return render(found.value, args, order.value, context.jail);
  },
});

async function toOrder(args: Args, { jail, signal }: ToolContext): Promise<Result<GrepOrder>> {
  const real = await jail.resolveRead(args.path);
  if (!real.ok) return real;
  const glob = args.glob === undefined ? null : compileGlob(args.glob);
  if (glob?.ok === false) return glob;
  if (args.pattern.includes('\0'))
    return refuse({ reason: 'The pattern holds a NUL character.', advice: 'Binary files are not searched.' });
  const found = await lstat(real.value).catch(() => null);
  if (found === null || !(found.isDirectory() || found.isFile())) {
    const reason = `There is no file or folder "${jail.toShown(real.value)}".`;
    return refuse({ reason, advice: `${await suggestPath(jail, real.value)}Check the path; list_files shows what there is.` });
  }
  return accept({
    pattern: args.pattern,
    isLiteral: args.literal,
    ignoresCase: args.ignore_case,
    glob: args.glob ?? null,
    start: real.value,
    isFolder: found.isDirectory(),
    workspace: jail.workspace,
    mode: args.mode,
    context: args.context,
    limit: args.limit,
    budget: createSearchBudget(SEARCH_LIMITS, signal),
    signal,
  });
}

/** With ripgrep where there is one; where it does not take the pattern, without. */
async function search(order: GrepOrder, context: ToolContext): Promise<Result<GrepFound, string>> {
  const program = await findSafeProgram('rg', context);
  const quick = program === null ? null : await grepByRipgrep(program, order, `${context.marker}.grep`);
  const found = quick?.ok === true ? quick : await grepByWalk(order);
  return found.ok ? accept({ ...found.value, files: await keepReadable(found.value.files, context.jail) }) : found;
}

/** A folder that may be read can hold files that may not. */
async function keepReadable(files: readonly GrepFile[], jail: Jail): Promise<readonly GrepFile[]> {
  const readable = await Promise.all(files.map(({ real }) => jail.resolveRead(real)));
  return files.filter((_, index) => readable[index]?.ok === true);
}

function render({ files, isCut, notices }: GrepFound, args: Args, order: GrepOrder, jail: Jail): ToolResult {
  const stop = describeStop(order.budget, SEARCH_LIMITS);
  const ends = [...notices, ...(stop === '' ? [] : [stop])];
  const shown = jail.toShown(order.start);
  if (files.length === 0) {
    const where = args.glob === undefined ? shown : `${shown} (${args.glob})`;
    return succeed([maskControls(`No line matches "${args.pattern}" in ${where}.`), ...ends].join('\n'), { files: 0 });
  }
  const lines = files.flatMap((file) => renderFile(file, args, maskControls(jail.toShown(file.real))));
  const what = args.mode === 'content' ? 'lines' : 'files';
  const cut = isCut
    ? [`[There are more than ${args.limit} ${what}. Narrow the pattern, the path or the glob, or raise limit (at most 1000).]`]
    : [];
  return succeed([...lines, ...cut, ...ends].join('\n'), { files: files.length });
}

function renderFile({ count, lines }: GrepFile, { mode, context }: Args, path: string): readonly string[] {
  if (mode === 'files') return [path];
  if (mode === 'count') return [`${path}:${count}`];
  const rendered: string[] = [];
  let before = 0;
  for (const { number, text, isMatch } of lines) {
    if (context > 0 && number !== before + 1 && rendered.length > 0) rendered.push('--');
    const mark = isMatch ? ':' : '-';
    rendered.push(`${path}${mark}${number}${mark}${cutLine(maskOutput(text), MAX_LINE_CHARACTERS)}`);
    before = number;
  }
  return context > 0 ? [...rendered, '--'] : rendered;
}
