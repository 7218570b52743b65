import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import { accept, type Refusal, type Result } from '../../core/values/result.ts';
import { compileGlob, type GlobMatcher } from '../files/compile-glob.ts';
import { isGitName } from '../files/protected-names.ts';
import { type FolderEntry, readFolder, suggestPath } from '../files/read-folder.ts';
import { createSearchBudget, describeStop, SEARCH_LIMITS, type SearchBudget } from '../files/search-budget.ts';
import { defineTool, fail, failWith, READS_FILES, succeed } from '../tool/tool.ts';
import { FILE_LIMITS } from '../tool/tool-output.ts';

const MAX_LISTED = FILE_LIMITS.maxLines;
const MAX_FOLDER_ENTRIES = 100_000;
const MAX_IGNORED = 50;

const parameters = z.strictObject({
  path: z.string().default('.').describe('Folder, relative to the workspace; default: the workspace.'),
  limit: z.number().int().min(1).max(MAX_LISTED).default(500).describe('How many names at most.'),
  depth: z.number().int().min(1).max(10).default(1).describe('1: only this folder; 2: the folders in it as well, and so on.'),
  ignore: z
    .array(z.string())
    .max(MAX_IGNORED)
    .default([])
    .describe('Patterns of names or paths to leave out, such as "node_modules" or "**/*.map".'),
});

type Args = z.infer<typeof parameters>;

export const listFilesTool = defineTool<Args>({
  name: 'list_files',
  group: 'fs_read',
  hints: READS_FILES,
  description:
    'Lists what is in a folder, sorted by name: folders end with "/", links say where they lead, dot files are shown. Use glob to find files by a pattern.',
  parameters,
  run: async ({ path, limit, depth, ignore }, context) => {
    const real = await context.jail.resolveRead(path);
    if (!real.ok) return failWith(real.refused);
    const ignored = compileIgnored(ignore);
    if (!ignored.ok) return failWith(ignored.refused);
    const shown = context.jail.toShown(real.value);
    const budget = createSearchBudget(SEARCH_LIMITS, context.signal);
    const listing: FileListing = { names: [], limit, isCut: false, isIgnored: ignored.value, budget };
    const refusal = await listFolder(listing, real.value, shown, '', depth);
    if (refusal !== null) return fail(refusal.reason, `${await suggestPath(context.jail, real.value)}${refusal.advice}`);
    return succeed(renderListing(listing, shown), { path: shown, names: listing.names.length });
  },
});

interface FileListing {
  readonly names: string[];
  readonly limit: number;
  readonly isIgnored: GlobMatcher;
  readonly budget: SearchBudget;
  isCut: boolean;
}

/** @returns why the folder could not be listed; folders below it that cannot are listed as empty. */
async function listFolder(listing: FileListing, real: string, shown: string, prefix: string, depth: number): Promise<Refusal | null> {
  const content = await readFolder(real, shown, MAX_FOLDER_ENTRIES);
  if (!content.ok) return content.refused;
  const { entries, isCut } = content.value;
  if (isCut) listing.isCut = true;
  for (const entry of entries) {
    const path = prefix + entry.name;
    if (listing.isIgnored(path)) continue;
    if (listing.names.length >= listing.limit || !listing.budget.spend()) {
      listing.isCut = true;
      return null;
    }
    listing.names.push(maskControls(path) + (await toEnding(entry, join(real, entry.name))));
    if (entry.kind !== 'folder' || depth <= 1 || isGitName(entry.name)) continue;
    await listFolder(listing, join(real, entry.name), shown, `${path}/`, depth - 1);
  }
  return null;
}

async function toEnding(entry: FolderEntry, real: string): Promise<string> {
  if (entry.kind === 'folder') return '/';
  if (entry.kind === 'other') return ' (no regular file)';
  if (entry.kind === 'file') return '';
  const target = await readlink(real).catch(() => '?');
  return ` -> ${maskControls(target)}`;
}

/** A pattern without `/` is compared with every name, others with the path from the folder on. */
function compileIgnored(patterns: readonly string[]): Result<GlobMatcher> {
  const matchers: GlobMatcher[] = [];
  for (const pattern of patterns) {
    const matcher = compileGlob(pattern.replace(/\/+$/, ''));
    if (!matcher.ok) return matcher;
    const matches = matcher.value;
    matchers.push(pattern.replace(/\/+$/, '').includes('/') ? matches : (path) => matches(path.slice(path.lastIndexOf('/') + 1)));
  }
  return accept((path) => matchers.some((matches) => matches(path)));
}

function renderListing({ names, isCut, budget, limit }: FileListing, shown: string): string {
  if (names.length === 0) return `[${shown} is empty, or everything in it is ignored.]`;
  const stop = describeStop(budget, SEARCH_LIMITS);
  const cut = `[Only the first ${names.length} names: list a folder further down, raise limit (at most ${MAX_LISTED}, now ${limit}), or use glob.]`;
  const notice = stop !== '' ? [stop] : isCut ? [cut] : [];
  return [...names, ...notice].join('\n');
}
