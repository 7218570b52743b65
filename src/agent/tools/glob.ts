import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import { compileGlob, type GlobMatcher } from '../files/compile-glob.ts';
import { readFolder, suggestPath, type WalkOrder, walkFolder } from '../files/read-folder.ts';
import { createSearchBudget, describeStop, SEARCH_LIMITS, type SearchBudget } from '../files/search-budget.ts';
import { defineTool, fail, failWith, type Jail, READS_FILES, succeed } from '../tool/tool.ts';

const MAX_FOUND = 1000;
/** So many files are asked for their time; with more of them the order is no longer that of the newest. */
const MAX_CANDIDATES = 20_000;

const parameters = z.strictObject({
  pattern: z.string().describe('Such as "**/*.ts" or "src/{a,b}/*.json"; relative to the folder.'),
  path: z.string().default('.').describe('Folder to search, relative to the workspace; default: the workspace.'),
  limit: z.number().int().min(1).max(MAX_FOUND).default(100).describe('How many files at most.'),
  include_ignored: z.boolean().default(false).describe('True: also what .gitignore leaves out, and node_modules.'),
});

type Args = z.infer<typeof parameters>;

export const globTool = defineTool<Args>({
  name: 'glob',
  group: 'fs_read',
  hints: READS_FILES,
  description: 'Finds files by a pattern of their path, the latest changed first. Leaves out what .gitignore names; follows no links.',
  parameters,
  run: async ({ pattern, path, limit, include_ignored }, context) => {
    const matches = compileGlob(pattern);
    if (!matches.ok) return failWith(matches.refused);
    const real = await context.jail.resolveRead(path);
    if (!real.ok) return failWith(real.refused);
    const shown = context.jail.toShown(real.value);
    const folder = await readFolder(real.value, shown, 1);
    if (!folder.ok) return fail(folder.refused.reason, `${await suggestPath(context.jail, real.value)}${folder.refused.advice}`);
    const budget = createSearchBudget(SEARCH_LIMITS, context.signal);
    const order = { start: real.value, workspace: context.jail.workspace, withIgnored: include_ignored, budget };
    const found = await findFiles(order, matches.value);
    const text = render(found, { pattern, shown, limit, budget, jail: context.jail });
    return succeed(text, { found: found.length });
  },
});

interface FoundFile {
  readonly real: string;
  readonly mtimeMs: number;
}

/** The latest first; of the same time by path. */
async function findFiles(order: WalkOrder, matches: GlobMatcher): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for await (const { real, path } of walkFolder(order)) {
    if (!matches(path)) continue;
    const stats = await lstat(real).catch(() => null);
    if (stats !== null) found.push({ real, mtimeMs: stats.mtimeMs });
    if (found.length >= MAX_CANDIDATES) break;
  }
  return found.toSorted((left, right) => right.mtimeMs - left.mtimeMs || (left.real < right.real ? -1 : 1));
}

interface RenderFacts {
  readonly pattern: string;
  readonly shown: string;
  readonly limit: number;
  readonly budget: SearchBudget;
  readonly jail: Jail;
}

function render(found: readonly FoundFile[], { pattern, shown, limit, budget, jail }: RenderFacts): string {
  const stop = describeStop(budget, SEARCH_LIMITS);
  if (found.length === 0) {
    const advice = pattern.includes('/') ? '' : ` To look in the folders below as well: "**/${pattern}".`;
    return maskControls(`No files match "${pattern}" in ${shown}.${advice} ${stop}`.trim());
  }
  const lines = found.slice(0, limit).map(({ real }) => maskControls(jail.toShown(real)));
  const count = found.length >= MAX_CANDIDATES ? `more than ${MAX_CANDIDATES}` : `${found.length}`;
  const more =
    found.length > limit
      ? [`[${limit} of ${count} files, the latest changed first. Narrow the pattern, or raise limit (at most ${MAX_FOUND}).]`]
      : [];
  return [...lines, ...more, ...(stop === '' ? [] : [stop])].join('\n');
}
